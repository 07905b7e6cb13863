/** What has changed, by kind: things by their ids in lower case, or any. */
export type Changed = ReadonlyMap<string, ReadonlySet<string> | 'any'>

/** Kinds whose things have a query each, which begins with the kind; the id follows. */
const single: ReadonlySet<string> = new Set(['alert', 'run', 'case'])

/** Lists of the API, by what is in them. */
const lists: Readonly<Record<string, string>> = {
  alert: '/alerts',
  run: '/runs',
  case: '/cases',
  connection: '/connections',
  playbook: '/playbooks',
  key: '/keys',
  organization: '/organizations',
  provider: '/providers',
  audit: '/audit',
}

/** Other queries that show something of a kind, by how they begin. What is counted over time asks again by itself. */
const others: Readonly<Record<string, readonly string[]>> = {
  checkpoint: ['checkpoints', 'engine', 'alert', 'case'],
  engine: ['engine'],
  connection: ['connection'],
  playbook: ['versions'],
  organization: ['/organizations'],
  provider: ['/providers'],
}

const uuid = /^[\da-f-]{36}$/

/** Whether a query of this key may be answered otherwise now. Of a list, the one that asks for its newest rows. */
export function isConcerned([first, second, ...rest]: readonly unknown[], changed: Changed): boolean {
  for (const [kind, which] of changed) {
    if (first === 'list' && second === lists[kind] && rest.at(-1) === 'fresh') return true
    if (others[kind]?.includes(String(first)) === true) return true
    if (first !== kind || !single.has(kind)) continue
    const id = String(second).toLowerCase()
    // An alert is found by its uuid, too, and is not told by it.
    if (which === 'any' || which.has(id) || (kind === 'alert' && uuid.test(id))) return true
  }
  return false
}
