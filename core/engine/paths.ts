/**
 * Places in a run, the keys of its journal. A path follows from the playbook and the index of an item alone:
 *
 * | place                          | path                                    |
 * |--------------------------------|-----------------------------------------|
 * | a step                         | its id, or its place among its siblings |
 * | a step inside a group          | `<group>/<step>`                        |
 * | a step inside a case           | `<switch>/<case, from 0>/<step>`        |
 * | a step inside `else`           | `<switch>/else/<step>`                  |
 * | an item of `foreach`           | `<step>[<index>]`                       |
 * | a step that handles an error   | `<step>/@on_error/<step>`               |
 * | a step of `finally`            | `@finally/<step>`                       |
 *
 * No two places have the same path: ids hold neither `/` nor `[` nor `@`.
 */
export const finallyPath = '@finally'

export function inside(path: string, key: string): string {
  return path === '' ? key : `${path}/${key}`
}

export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`
}

export function onErrorPath(path: string): string {
  return `${path}/@on_error`
}
