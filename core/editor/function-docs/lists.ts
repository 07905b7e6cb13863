import type { Row } from './row.ts'

/** Lists, sets and maps. */
export const listDocs: readonly Row[] = [
  ['list.first() -> optional', 'the first element', '["a", "b"].first().orValue("none")'],
  ['list.last() -> optional', 'the last element', '[].last().orValue("none")'],
  ['list.take(count) -> list', 'at most this many elements from the start', '[1, 2, 3].take(2)'],
  [
    'list.slice(from[, to]) -> list',
    'the elements from `from` up to, but not including, `to`; an error beyond the end',
    '[1, 2, 3, 4].slice(1, 3)',
  ],
  ['list.sort() -> list', 'sorts numbers, strings (by code point), bools or times', '["b", "c", "a"].sort()'],
  ['list.reverse() -> list', 'from the last element to the first', '[1, 2].reverse()'],
  ['list.distinct() -> list', 'each element once', '[1, 2, 1.0].distinct()'],
  [
    'list.flatten([levels]) -> list',
    'removes one level of nested lists, or this many levels',
    '[[1], [2, [3]]].flatten()',
  ],
  ['list.indexOf(element) -> int', 'position of the first occurrence, or -1', '["a", "b"].indexOf("b")'],
  [
    'list.lastIndexOf(element) -> int',
    'position of the last occurrence, or -1',
    '["a", "b", "a"].lastIndexOf("a")',
  ],
  ['lists.range(count) -> list(int)', 'the ints from 0', 'lists.range(3)'],
  [
    'sets.contains(all, some) -> bool',
    'every element of `some` is in `all`',
    'sets.contains([1, 2, 3], [2, 3])',
  ],
  [
    'sets.intersects(a, b) -> bool',
    'at least one element is in both lists',
    'sets.intersects(["a"], ["a", "b"])',
  ],
  [
    'sets.equivalent(a, b) -> bool',
    'both lists have the same elements, in any order and number',
    'sets.equivalent([1, 2], [2, 1, 1])',
  ],
  [
    'keys.zipMap(values) -> map',
    'a map from the keys and values of two lists of the same length',
    '["host", "ip"].zipMap(["web-1", "10.0.0.7"])',
  ],
  [
    'map.merge(other) -> map',
    'the entries of both maps; entries of `other` replace those with the same key',
    '{"a": 1, "b": 2}.merge({"b": 3})',
  ],
]
