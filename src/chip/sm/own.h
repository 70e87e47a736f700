/* Ownership of fields. An SM has six parts, each with its own folder. Only the files in a part's
 * folder write the part's fields; other files call the inline functions in the headers of the part.
 * `make check-parts` compiles each file with all foreign parts declared const; a foreign write
 * therefore fails to compile. The remaining fields of struct sm (notify, must_tick, statistics) may
 * be written by any file of the SM. */
#ifndef CORUN_SM_OWN_H
#define CORUN_SM_OWN_H

#ifndef CHECK_PARTS
#define OF_FRONT
#define OF_PORT
#define OF_LSU
#define OF_BLOCKS
#define OF_RESIDENCY
#define OF_POLICY
#endif

#endif
