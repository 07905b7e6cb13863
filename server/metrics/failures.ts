import type { Exposition } from './exposition.ts'

/** Playbooks with a count of their own: names are made up by people, and figures are kept for ever. */
const mostPlaybooks = 200

/** Counts failed runs by playbook; those that are generated, gone or too many have one count together. */
export function countFailures(exposition: Exposition, written: () => readonly string[]) {
  const counts = new Map<string, number>()
  let others = 0
  exposition.total(
    'tocsin_runs_failed_total',
    'Runs that failed, by playbook; (other): generated ones, and those beyond 200.',
    () => {
      for (const name of written()) if (counts.size < mostPlaybooks && !counts.has(name)) counts.set(name, 0)
      const known = [...counts].map(([playbook, value]) => ({ labels: { playbook }, value }))
      return [...known, { labels: { playbook: '(other)' }, value: others }]
    },
  )
  return (name: string): void => {
    const count = counts.get(name)
    if (count !== undefined) counts.set(name, count + 1)
    else if (counts.size < mostPlaybooks && written().includes(name)) counts.set(name, 1)
    else others++
  }
}
