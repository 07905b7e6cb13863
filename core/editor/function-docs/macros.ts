import type { Row } from './row.ts'

/** Macros, whose arguments are evaluated for each element. */
export const macroDocs: readonly Row[] = [
  ['has(a.b)', 'the field exists, even if it is null', 'has({"a": null}.a)'],
  ['list.all(x, condition)', 'the condition is true for every element', '[1, 2].all(x, x > 0)'],
  ['list.exists(x, condition)', 'the condition is true for at least one element', '[1, 2].exists(x, x > 1)'],
  [
    'list.exists_one(x, condition)',
    'the condition is true for exactly one element',
    '[1, 2].exists_one(x, x > 0)',
  ],
  ['list.filter(x, condition)', 'the elements for which the condition is true', '[1, 2, 3].filter(x, x > 1)'],
  ['list.map(x, value)', 'a value for each element', '[1, 2].map(x, x * 10)'],
  [
    'list.map(x, condition, value)',
    'a value for each element for which the condition is true',
    '[1, 2].map(x, x > 1, x * 10)',
  ],
  [
    'list.sortBy(x, key)',
    'the elements in the order of their keys; elements with equal keys keep their order',
    '[{"n": 2}, {"n": 1}].sortBy(x, x.n)',
  ],
  [
    'list.groupBy(x, key)',
    'a map from each key to the list of its elements',
    '["a1", "b1", "a2"].groupBy(x, x.charAt(0))',
  ],
  [
    'list.indexBy(x, key)',
    'a map from each key to its element; an error if a key occurs twice',
    '[{"id": "x", "n": 1}].indexBy(e, e.id)',
  ],
  [
    'list.all(i, x, condition)',
    'like `all`, with two variables: index and element, or key and value of a map',
    '{"a": 1, "b": 2}.all(k, v, v > 0)',
  ],
  [
    'list.exists(i, x, condition)',
    'like `exists`, with two variables',
    '["a", "b"].exists(i, x, i == 1 && x == "b")',
  ],
  [
    'list.exists_one(i, x, condition)',
    'like `exists_one`, with two variables; also written `existsOne`',
    '{"a": 1, "b": 1}.exists_one(k, v, v == 1)',
  ],
  [
    'list.transformList(i, x, value)',
    'a value for each element, or for each entry of a map',
    '{"a": 1, "b": 2}.transformList(k, v, k + string(v))',
  ],
  [
    'list.transformList(i, x, condition, value)',
    'a value for each element for which the condition is true',
    '["a", "b"].transformList(i, x, i > 0, x)',
  ],
  [
    'map.transformMap(k, v, value)',
    'a map with the same keys and other values',
    '{"a": 1, "b": 2}.transformMap(k, v, v * 10)',
  ],
  [
    'map.transformMap(k, v, condition, value)',
    'like `transformMap`, for entries for which the condition is true',
    '{"a": 1, "b": null}.transformMap(k, v, v != null, v)',
  ],
  [
    'list.transformMapEntry(i, x, {key: value})',
    'a map of new entries; an error if a key occurs twice',
    '[{"key": "a", "value": 1}].transformMapEntry(i, x, {x.key: x.value})',
  ],
  [
    'list.transformMapEntry(i, x, condition, {key: value})',
    'a map of new entries for the elements for which the condition is true',
    '{"a": 1, "b": 2}.transformMapEntry(k, v, v > 1, {string(v): k})',
  ],
  [
    'cel.bind(name, value, expression)',
    'names a value that is used several times',
    'cel.bind(n, 2 + 3, n * n)',
  ],
  [
    'optional.optMap(x, value)',
    'a value computed from the value of an optional',
    'optional.of(2).optMap(x, x * 2).orValue(0)',
  ],
  [
    'optional.optFlatMap(x, optional)',
    'like `optMap`, for an expression that returns an optional',
    'optional.of({"a": 1}).optFlatMap(x, x.?a).orValue(0)',
  ],
]
