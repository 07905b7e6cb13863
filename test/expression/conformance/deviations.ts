/** Deliberate differences from CEL's conformance data: test id → reason. Also in docs/expressions.md. */
const exact = 'ints and doubles are compared exactly, not after rounding the int'
const dotted = 'names have no dots; compare with type(…) of a timestamp or duration instead'
const spans = 'the difference of any two timestamps is a duration, also beyond 292 years'
const mixed = 'numbers of both kinds are accepted, since numbers in JSON are doubles; an int stays as it is'

export const deviations: Readonly<Record<string, string>> = {
  'comparisons/lt_literal/not_lt_dyn_int_big_lossy_double': exact,
  'comparisons/gt_literal/not_gt_dyn_big_double_int': exact,
  'comparisons/lte_literal/lte_dyn_big_double_int': exact,
  'comparisons/gte_literal/gte_dyn_int_big_lossy_double': exact,
  'timestamps/timestamp_conversions/type_comparison': dotted,
  'timestamps/duration_conversions/type_comparison': dotted,
  'timestamps/timestamp_range/sub_time_duration_over': spans,
  'timestamps/timestamp_range/sub_time_duration_under': spans,
  'math_ext/ceil/dyn_error': mixed,
  'math_ext/floor/dyn_error': mixed,
  'math_ext/round/dyn_error': mixed,
  'math_ext/trunc/dyn_error': mixed,
}
