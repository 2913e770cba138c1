// write_pages FOLDER: the sample pages as files, each with its document beside it.
#include <fstream>
#include <iostream>

#include "mechfit/report/page.h"
#include "tests/report/samples.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "write_pages: expected one argument, the folder\n";
    return 2;
  }
  const std::string folder = argv[1];
  const auto write = [&](const std::string& name, const nlohmann::json& document) {
    std::ofstream(folder + "/" + name + ".html") << mechfit::render_page(document);
    std::ofstream(folder + "/" + name + ".json") << document;
  };
  write("fit", mechfit::samples::fit());
  write("study", mechfit::samples::study(false));
  write("beyond", mechfit::samples::study(true));
  write("cart", mechfit::samples::mechanism("cart-pole"));
  write("spring", mechfit::samples::mechanism("spring-pendulum"));
  write("chain", mechfit::samples::mechanism("chain", 4));
}
