import type { Contract } from './contract.ts'

/** Breaking changes from the first contract to the second; empty if it only adds. */
export function findBroken(promised: Contract, current: Contract): readonly string[] {
  return Object.entries(promised).flatMap(([part, things]) =>
    Object.entries(things).flatMap(([thing, lines]) => {
      const now = current[part]?.[thing]
      if (now === undefined) return [`${part}: ${thing} was removed`]
      const gone = lines.filter((line) => !now.includes(line) && !isRelaxed(line, now))
      const required = now.filter((line) => isNewlyRequired(line, lines))
      return [
        ...gone.map((line) => `${part}: ${thing}: "${line}" was removed${instead(line, now)}`),
        ...required.map((line) => `${part}: ${thing}: "${line}" is new`),
      ]
    }),
  )
}

const isRelaxed = (line: string, now: readonly string[]): boolean =>
  (/ required( in one form)?$/.test(line) &&
    now.includes(line.replace(/required( in one form)?$/, 'optional'))) ||
  isWidened(line, now)

/** Only received data is marked optional or required; it may accept further types. */
function isWidened(line: string, now: readonly string[]): boolean {
  const [, path, types = ''] = /^(.*?): (.+)$/.exec(line) ?? []
  const marks = ['optional', 'required'].map((mark) => `${path} ${mark}`)
  if (path === undefined || !now.some((other) => marks.some((mark) => other.startsWith(mark)))) return false
  const found =
    now
      .find((other) => other.startsWith(`${path}: `))
      ?.slice(path.length + 2)
      .split('|') ?? []
  return types.split('|').every((type) => found.includes(type))
}

/** Current callers do not send it. A required field inside a new optional one breaks no caller. */
function isNewlyRequired(line: string, promised: readonly string[]): boolean {
  const [, name] = /^(.+) required$/.exec(line) ?? []
  if (name === undefined || promised.includes(line) || promised.includes(`${name} optional`)) return false
  const parent = name.slice(0, Math.max(name.lastIndexOf('.'), 0))
  return !parent.includes('.') || promised.some((known) => known.startsWith(`${parent}: `))
}

function instead(line: string, now: readonly string[]): string {
  const [, path] = /^(.*?): /.exec(line) ?? []
  const found = path === undefined ? undefined : now.find((other) => other.startsWith(`${path}: `))
  return found === undefined ? '' : `, now "${found}"`
}

/** Both together, sorted, so that an addition is one line in a diff. A removed line stays, and stays reported. */
export function addTo(promised: Contract, current: Contract): Contract {
  return mapSorted(keysOf(promised, current), (part) =>
    mapSorted(keysOf(promised[part], current[part]), (thing) => {
      const now = current[part]?.[thing] ?? []
      const before = (promised[part]?.[thing] ?? []).filter((line) => !isRelaxed(line, now))
      return [...new Set([...before, ...now])].toSorted()
    }),
  )
}

const keysOf = (...maps: (object | undefined)[]) => [
  ...new Set(maps.flatMap((map) => Object.keys(map ?? {}))),
]

function mapSorted<T>(keys: readonly string[], value: (key: string) => T): Record<string, T> {
  return Object.fromEntries(keys.toSorted().map((key) => [key, value(key)]))
}
