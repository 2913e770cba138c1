#include "mechfit/export/shells.h"

namespace mechfit {

// The types and functions of FMI 2.0.x, by their binary layout in the standard (2.1.2 to 2.1.10,
// 3.2, 4.2). A source code FMU that is linked statically defines FMI2_FUNCTION_PREFIX.
const char* const kFmuTypes = R"(
#include <stdlib.h>

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;
typedef struct {
  void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category,
                 fmi2String message, ...);
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void (*step_finished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment environment;
} fmi2CallbackFunctions;
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
      valuesOfContinuousStatesChanged, nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

#ifndef FMI2_FUNCTION_PREFIX
#define FMI2_FUNCTION_PREFIX
#endif
#define $_PASTE(prefix, name) prefix##name
#define $_FULL(prefix, name) $_PASTE(prefix, name)
#if defined(_WIN32)
#define $_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define $_EXPORT __attribute__((visibility("default")))
#else
#define $_EXPORT
#endif
/* Declares a function of the interface, then opens its definition. */
#define $_FMI(type, name, arguments)                            \
  $_EXPORT type $_FULL(FMI2_FUNCTION_PREFIX, name) arguments;   \
  type $_FULL(FMI2_FUNCTION_PREFIX, name) arguments
)";

// Value references: x = (q, v), their derivatives, inputs, the energy, constants of contacts.
const char* const kFmuModel = R"(
#ifndef $_CONTACTS
#define $_CONTACTS 0
#endif
#define $_STATES (2 * $_JOINTS)
#define $_FIRST_INPUT (2 * $_STATES)
#define $_ENERGY ($_FIRST_INPUT + $_INPUTS)
#define $_FIRST_CONTACT ($_ENERGY + 1) /* position and restitution of each */
#define $_VALUES ($_FIRST_CONTACT + 2 * $_CONTACTS)

typedef struct {
  double time, x[$_STATES], u[$_INPUTS + 1];
  int resting[$_CONTACTS + 1];
  fmi2CallbackFunctions callbacks;
  char instance[64];
} $_fmu;
)";

const char* const kFmuDynamics = R"(
/* xdot = f(x, u) = (v, a) */
static fmi2Status $_f($_fmu* m, double* xdot) {
  for (int i = 0; i < $_JOINTS; ++i) xdot[i] = m->x[$_JOINTS + i];
  if (!$_acceleration(m->x, m->x + $_JOINTS, m->u, xdot + $_JOINTS) &&
      !$_hold(m, xdot + $_JOINTS))
    return fmi2OK;
  if (m->callbacks.logger)
    m->callbacks.logger(m->callbacks.environment, m->instance, fmi2Error, "logStatusError",
                        "the mass matrix is not positive definite at this state");
  return fmi2Error;
}

/* Row of the Jacobian of a derivative or of the energy: d value / d (x, u). */
static fmi2Status $_row($_fmu* m, fmi2ValueReference value, double* row) {
  const double *q = m->x, *v = m->x + $_JOINTS;
  double a[$_JOINTS], a_q[$_JOINTS * $_JOINTS], a_v[$_JOINTS * $_JOINTS];
  double a_u[$_JOINTS * ($_INPUTS + 1)];
  for (int k = 0; k < $_STATES + $_INPUTS; ++k) row[k] = 0;
  if (value < $_STATES) {
    row[value] = 1;
  } else if (value < $_STATES + $_JOINTS) {
    row[value - $_STATES + $_JOINTS] = 1;
  } else if (value < 2 * $_STATES) {
    const int i = (int)value - $_STATES - $_JOINTS;
    if ($_acceleration_jacobians(q, v, m->u, a, a_q, a_v, a_u)) return fmi2Error;
    for (int k = 0; k < $_JOINTS; ++k) {
      row[k] = a_q[i * $_JOINTS + k];
      row[$_JOINTS + k] = a_v[i * $_JOINTS + k];
    }
    for (int k = 0; k < $_INPUTS; ++k) row[$_STATES + k] = a_u[i * $_INPUTS + k];
  } else if (value == $_ENERGY) {
    /* With L = T - V: dE/dq = dL/dq - 2 dL/dq at v = 0 */
    const double rest[$_JOINTS] = {0};
    double M[$_JOINTS * $_JOINTS], rate[$_JOINTS], still[$_JOINTS];
    $_terms(q, v, M, rate, row);
    $_terms(q, rest, M, rate, still);
    for (int k = 0; k < $_JOINTS; ++k) row[k] -= 2 * still[k];
    $_momentum(q, v, row + $_JOINTS);
  } else {
    return fmi2Error;
  }
  return fmi2OK;
}
)";

const char* const kFmuInterface = R"(
/* Common to model exchange and co-simulation */
$_FMI(const char*, fmi2GetTypesPlatform, (void)) { return "default"; }
$_FMI(const char*, fmi2GetVersion, (void)) { return "2.0"; }
$_FMI(fmi2Status, fmi2SetDebugLogging,
      (fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])) {
  (void)c, (void)on, (void)count, (void)categories;
  return fmi2OK;
}
$_FMI(fmi2Component, fmi2Instantiate,
      (fmi2String instance, fmi2Type type, fmi2String guid, fmi2String resources,
       const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging)) {
  (void)type, (void)resources, (void)visible, (void)logging;
  if (guid && strcmp(guid, $_GUID) != 0) {
    if (callbacks && callbacks->logger)
      callbacks->logger(callbacks->environment, instance, fmi2Error, "logStatusError",
                        "the GUID is that of another model");
    return NULL;
  }
  $_fmu* m = ($_fmu*)calloc(1, sizeof *m);
  if (!m) return NULL;
  if (callbacks) m->callbacks = *callbacks;
  if (instance) strncpy(m->instance, instance, sizeof m->instance - 1);
  return m;
}
$_FMI(void, fmi2FreeInstance, (fmi2Component c)) { free(c); }
$_FMI(fmi2Status, fmi2SetupExperiment,
      (fmi2Component c, fmi2Boolean tolerant, fmi2Real tolerance, fmi2Real start, fmi2Boolean ends,
       fmi2Real stop)) {
  (void)tolerant, (void)tolerance, (void)ends, (void)stop;
  (($_fmu*)c)->time = start;
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2EnterInitializationMode, (fmi2Component c)) { return c ? fmi2OK : fmi2Error; }
$_FMI(fmi2Status, fmi2ExitInitializationMode, (fmi2Component c)) { return c ? fmi2OK : fmi2Error; }
$_FMI(fmi2Status, fmi2Terminate, (fmi2Component c)) { return c ? fmi2OK : fmi2Error; }
$_FMI(fmi2Status, fmi2Reset, (fmi2Component c)) {
  $_fmu* m = ($_fmu*)c;
  m->time = 0;
  memset(m->x, 0, sizeof m->x);
  memset(m->u, 0, sizeof m->u);
  memset(m->resting, 0, sizeof m->resting);
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2GetReal,
      (fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[])) {
  $_fmu* m = ($_fmu*)c;
  double xdot[$_STATES];
  int known = 0;
  for (size_t k = 0; k < count; ++k) {
    const fmi2ValueReference r = references[k];
    if (r >= $_VALUES) return fmi2Error;
    if (r >= $_STATES && r < $_FIRST_INPUT && !known) {
      if ($_f(m, xdot) != fmi2OK) return fmi2Error;
      known = 1;
    }
    values[k] = r < $_STATES        ? m->x[r]
                : r < $_FIRST_INPUT ? xdot[r - $_STATES]
                : r < $_ENERGY      ? m->u[r - $_FIRST_INPUT]
                : r == $_ENERGY     ? $_energy(m->x, m->x + $_JOINTS)
                                    : $_contact_value(r - $_FIRST_CONTACT);
  }
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2SetReal,
      (fmi2Component c, const fmi2ValueReference references[], size_t count,
       const fmi2Real values[])) {
  $_fmu* m = ($_fmu*)c;
  for (size_t k = 0; k < count; ++k) {
    const fmi2ValueReference r = references[k];
    if (r < $_STATES)
      m->x[r] = values[k];
    else if (r >= $_FIRST_INPUT && r < $_ENERGY)
      m->u[r - $_FIRST_INPUT] = values[k];
    else
      return fmi2Error;
  }
  return fmi2OK;
}
/* No variables but real ones */
#define $_NO_VALUES(kind)                                                                   \
  $_FMI(fmi2Status, fmi2Get##kind,                                                          \
        (fmi2Component c, const fmi2ValueReference references[], size_t count,              \
         fmi2##kind values[])) {                                                            \
    (void)c, (void)references, (void)values;                                                \
    return count == 0 ? fmi2OK : fmi2Error;                                                 \
  }                                                                                         \
  $_FMI(fmi2Status, fmi2Set##kind,                                                          \
        (fmi2Component c, const fmi2ValueReference references[], size_t count,              \
         const fmi2##kind values[])) {                                                      \
    (void)c, (void)references, (void)values;                                                \
    return count == 0 ? fmi2OK : fmi2Error;                                                 \
  }
$_NO_VALUES(Integer)
$_NO_VALUES(Boolean)
$_NO_VALUES(String)

$_FMI(fmi2Status, fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate* state)) {
  if (!*state) *state = malloc(sizeof($_fmu));
  if (!*state) return fmi2Error;
  memcpy(*state, c, sizeof($_fmu));
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state)) {
  $_fmu* m = ($_fmu*)c;
  const $_fmu* from = (const $_fmu*)state;
  m->time = from->time;
  memcpy(m->x, from->x, sizeof m->x);
  memcpy(m->u, from->u, sizeof m->u);
  memcpy(m->resting, from->resting, sizeof m->resting);
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate* state)) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t* size)) {
  (void)c, (void)state;
  *size = sizeof($_fmu);
  return fmi2Error;
}
$_FMI(fmi2Status, fmi2SerializeFMUstate,
      (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)) {
  (void)c, (void)state, (void)bytes, (void)size;
  return fmi2Error;
}
$_FMI(fmi2Status, fmi2DeSerializeFMUstate,
      (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state)) {
  (void)c, (void)bytes, (void)size, (void)state;
  return fmi2Error;
}
$_FMI(fmi2Status, fmi2GetDirectionalDerivative,
      (fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
       const fmi2ValueReference knowns[], size_t known_count, const fmi2Real along[],
       fmi2Real derivatives[])) {
  double row[$_STATES + $_INPUTS];
  for (size_t i = 0; i < unknown_count; ++i) {
    if ($_row(($_fmu*)c, unknowns[i], row) != fmi2OK) return fmi2Error;
    derivatives[i] = 0;
    for (size_t k = 0; k < known_count; ++k) {
      const fmi2ValueReference r = knowns[k];
      if (r < $_STATES)
        derivatives[i] += row[r] * along[k];
      else if (r >= $_FIRST_INPUT && r < $_ENERGY)
        derivatives[i] += row[r - $_FIRST_INPUT + $_STATES] * along[k];
      else
        return fmi2Error;
    }
  }
  return fmi2OK;
}

/* Model exchange */
$_FMI(fmi2Status, fmi2EnterEventMode, (fmi2Component c)) { return c ? fmi2OK : fmi2Error; }
$_FMI(fmi2Status, fmi2NewDiscreteStates, (fmi2Component c, fmi2EventInfo* info)) {
  memset(info, 0, sizeof *info);
  return $_touch(($_fmu*)c, &info->valuesOfContinuousStatesChanged) ? fmi2Error : fmi2OK;
}
$_FMI(fmi2Status, fmi2EnterContinuousTimeMode, (fmi2Component c)) { return c ? fmi2OK : fmi2Error; }
$_FMI(fmi2Status, fmi2CompletedIntegratorStep,
      (fmi2Component c, fmi2Boolean last, fmi2Boolean* event, fmi2Boolean* terminate)) {
  (void)c, (void)last;
  *event = *terminate = 0;
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2SetTime, (fmi2Component c, fmi2Real time)) {
  (($_fmu*)c)->time = time;
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t count)) {
  if (count != $_STATES) return fmi2Error;
  memcpy((($_fmu*)c)->x, x, sizeof(double) * $_STATES);
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2GetDerivatives, (fmi2Component c, fmi2Real xdot[], size_t count)) {
  return count == $_STATES ? $_f(($_fmu*)c, xdot) : fmi2Error;
}
$_FMI(fmi2Status, fmi2GetEventIndicators, (fmi2Component c, fmi2Real indicators[], size_t count)) {
  return count == $_CONTACTS && !$_indicate(($_fmu*)c, indicators) ? fmi2OK : fmi2Error;
}
$_FMI(fmi2Status, fmi2GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t count)) {
  if (count != $_STATES) return fmi2Error;
  memcpy(x, (($_fmu*)c)->x, sizeof(double) * $_STATES);
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real x[], size_t count)) {
  (void)c;
  for (size_t i = 0; i < count; ++i) x[i] = 1;
  return fmi2OK;
}

/* Co-simulation: steps of Runge-Kutta of at most $_STEP seconds, cut at impacts; inputs held */
$_FMI(fmi2Status, fmi2SetRealInputDerivatives,
      (fmi2Component c, const fmi2ValueReference references[], size_t count,
       const fmi2Integer orders[], const fmi2Real values[])) {
  (void)c, (void)references, (void)count, (void)orders, (void)values;
  return fmi2Error;
}
$_FMI(fmi2Status, fmi2GetRealOutputDerivatives,
      (fmi2Component c, const fmi2ValueReference references[], size_t count,
       const fmi2Integer orders[], fmi2Real values[])) {
  (void)c, (void)references, (void)count, (void)orders, (void)values;
  return fmi2Error;
}
$_FMI(fmi2Status, fmi2DoStep,
      (fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean no_return)) {
  $_fmu* m = ($_fmu*)c;
  const int steps = (int)ceil(length / $_STEP - 1e-9) > 1 ? (int)ceil(length / $_STEP - 1e-9) : 1;
  double x[$_STATES];
  (void)no_return;
  memcpy(x, m->x, sizeof x);
  for (int k = 0; k < steps; ++k)
    if ($_next_step(length / steps, m->u, x, x + $_JOINTS)) return fmi2Error;
  for (int i = 0; i < $_STATES; ++i)
    if (!(fabs(x[i]) <= 1e100)) return fmi2Error; /* the motion diverges */
  memcpy(m->x, x, sizeof x);
  m->time = time + length;
  return fmi2OK;
}
$_FMI(fmi2Status, fmi2CancelStep, (fmi2Component c)) {
  (void)c;
  return fmi2Error;
}
/* Steps are never pending. */
#define $_STATUS(suffix, type)                                                             \
  $_FMI(fmi2Status, fmi2Get##suffix, (fmi2Component c, const fmi2StatusKind kind, type* out)) { \
    (void)c, (void)kind, (void)out;                                                        \
    return fmi2Discard;                                                                    \
  }
$_STATUS(Status, fmi2Status)
$_STATUS(IntegerStatus, fmi2Integer)
$_STATUS(BooleanStatus, fmi2Boolean)
$_STATUS(StringStatus, fmi2String)
$_FMI(fmi2Status, fmi2GetRealStatus,
      (fmi2Component c, const fmi2StatusKind kind, fmi2Real* out)) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *out = (($_fmu*)c)->time;
  return fmi2OK;
}
)";

}  // namespace mechfit
