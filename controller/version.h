/* Which rolecall this is. */
#pragma once

#ifndef ROLECALL_VERSION
#define ROLECALL_VERSION "0.1.0"
#endif
