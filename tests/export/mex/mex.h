/* The part of MATLAB's interface that exported models use, to compile them without MATLAB. */
#ifndef MECHFIT_TEST_MEX_H
#define MECHFIT_TEST_MEX_H

#include <stddef.h>

typedef struct mxArray_tag mxArray;
typedef size_t mwSize;
typedef enum { mxDOUBLE_CLASS = 6 } mxClassID;
typedef enum { mxREAL, mxCOMPLEX } mxComplexity;

int mxIsDouble(const mxArray*);
int mxIsComplex(const mxArray*);
int mxIsSparse(const mxArray*);
int mxIsChar(const mxArray*);
size_t mxGetM(const mxArray*);
size_t mxGetN(const mxArray*);
double* mxGetPr(const mxArray*);
double mxGetScalar(const mxArray*);
int mxGetString(const mxArray*, char*, mwSize);
mxArray* mxCreateNumericArray(mwSize, const mwSize*, mxClassID, mxComplexity);
void mexErrMsgIdAndTxt(const char*, const char*, ...);
void mexFunction(int, mxArray**, int, const mxArray**);

#endif
