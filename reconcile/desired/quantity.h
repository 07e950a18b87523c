/* Amounts as Kubernetes writes them, for members that count in whole units. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * JSON is a quantity, as JSON text: "500m", 2, "1Gi", "1e3" (apimachinery's resource.Quantity). Its value in UNITs, cut down
 * or, if UP, rounded up to a whole number; -1 when it is none, negative, or too large to count.
 */
int64_t quantity_in(const char *json, int64_t unit, bool up);
