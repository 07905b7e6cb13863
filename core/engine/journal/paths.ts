/**
 * Paths of the entries in a run's journal. A path depends only on the playbook and the index of an item:
 *
 * | place                          | path                                    |
 * |--------------------------------|-----------------------------------------|
 * | a step                         | its id, or its place among its siblings |
 * | a step inside a group          | `<group>/<step>`                        |
 * | a step inside a case           | `<switch>/<case, from 0>/<step>`        |
 * | a step inside `else`           | `<switch>/else/<step>`                  |
 * | an item of `foreach`           | `<step>[<index>]`                       |
 * | the delayed start of an item or branch | `<step>[<index>]/@begin`, `<branch>/@begin` |
 * | a round of `repeat`            | `<step>#<round, from 1>`                |
 * | the wait after it              | `<step>#<round>/@wait`                  |
 * | the question of a checkpoint   | `<step>/@ask`                           |
 * | the people that a checkpoint asks | `<step>/@people`                     |
 * | the question to one of them    | `<step>/@person[<index>]`               |
 * | its reminder, and its end      | `<step>/@remind`, `<step>/@settle`      |
 * | the wait for a rate limit      | `<step>/@rate`, after a crash `<step>/@rate#<number>` |
 * | the approval of a use         | `<step>/@approval`                      |
 * | a step of a called playbook    | `<call>/<step>`                         |
 * | a step that handles an error   | `<step>/@on_error/<step>`               |
 * | a step of the playbook's `on_error` | `@on_run_error/<step>`             |
 * | a step of `finally`            | `@finally/<step>`                       |
 * | the connections that an interface uses | `<step>/@choice`                |
 * | a call of an interface that asks several | `<step>/@call[<index>]`       |
 * | the output of another interface | `<step>/@output`                       |
 * | the state that the expressions of a step read | `<step>/@state`, `<step>#<round>/@state`, `<step>#<round>/@until/@state`, `<group>/@outputs/@state`, `@outputs/@state` |
 * | the version of a called playbook | `@playbooks/<name>`                   |
 *
 * Paths are unique, because ids contain none of `/`, `[`, `#` and `@`. In a called playbook, `@on_run_error`
 * and `@finally` follow the path of the call.
 */
export const finallyPath = '@finally'
export const runErrorPath = '@on_run_error'
export const outputsPath = '@outputs'

export function inside(path: string, key: string): string {
  return path === '' ? key : `${path}/${key}`
}

export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`
}

export function onErrorPath(path: string): string {
  return inside(path, '@on_error')
}

export function repeatPath(path: string, time: number): string {
  return `${path}#${time}`
}

/** Whether this is a later iteration of a `repeat`. */
export const isRepeatedPath = (path: string): boolean => /#(?!1(?!\d))\d+/.test(path)

export const beginPath = (path: string): string => `${path}/@begin`
export const waitPath = (path: string): string => `${path}/@wait`
export const askPath = (path: string): string => `${path}/@ask`
export const remindPath = (path: string): string => `${path}/@remind`
export const ratePath = (path: string): string => `${path}/@rate`
/** @param number of the question: a changed input is asked about again */
export const approvalPath = (path: string, number = 0): string =>
  number === 0 ? `${path}/@approval` : itemPath(`${path}/@approval`, number)
const approvalEnd = /\/@approval(?:\[\d+\])?$/
export const isApprovalPath = (path: string): boolean => approvalEnd.test(path)
/** The path that an approval is about. */
export const pathToApprove = (path: string): string => path.replace(approvalEnd, '')
export const settlePath = (path: string): string => `${path}/@settle`
export const choicePath = (path: string): string => `${path}/@choice`
export const outputPath = (path: string): string => `${path}/@output`
export const callPath = (path: string): string => `${path}/@call`
export const untilPath = (path: string): string => `${path}/@until`
export const statePath = (path: string): string => `${path}/@state`
export const peoplePath = (path: string): string => `${path}/@people`
export const personPath = (path: string): string => `${path}/@person`
/** Removes what the engine adds inside the place of a step. */
export const withoutInner = (path: string): string => path.replace(/(?:\/@[a-z_]+(?:\[\d+\])?)+$/, '')
/** The place among the people that a step asks; undefined for another path. */
export function placeOfPerson(path: string): number | undefined {
  const found = /\/@person\[(\d+)\]/.exec(path)
  return found === null ? undefined : Number(found[1])
}
export const playbookPath = (name: string): string => `@playbooks/${name}`

/** Entries that precede the start of their step. */
const beforeStart = /\/@(?:begin|state|rate(?:#\d+)?)$/

/** The places that have begun according to an entry at this path. */
export function begunPlaces(path: string): readonly string[] {
  const early = beforeStart.exec(path)
  const places = early === null ? [path] : []
  for (let at = (early?.index ?? path.length) - 1; at > 0; at--)
    if (/[/[#]/.test(path[at]!)) places.push(path.slice(0, at))
  return places
}

/** The idempotency key of a call: the same for every attempt and after every restart. */
export const keyOf = (runUuid: string, path: string): string => `${runUuid}/${path}`
