import { Group } from '@mantine/core'
import { Link, useSearch } from 'wouter'

/** Links to the lists that analysts work from. */
export function Queues() {
  const search = useSearch()
  const queues = [
    { title: 'All', query: {} },
    { title: 'Queue', query: { active: 'true', unassigned: 'true', sort: 'queue' } },
    { title: 'Mine', query: { active: 'true', assignee: 'me', sort: 'queue' } },
    {
      title: 'Assignee disabled',
      query: { active: 'true', assignee_state: 'disabled', sort: 'queue' },
    },
    { title: 'Overdue', query: { sla: 'overdue', sort: 'due_at' } },
  ] as const
  return (
    <Group gap={4} component="nav" aria-label="Queues" className="bulk-bar">
      {queues.map(({ title, query }) => {
        const wanted = new URLSearchParams(query).toString()
        const isHere = isSame(search, wanted)
        return (
          <Link
            key={title}
            href={wanted === '' ? '/cases' : `/cases?${wanted}`}
            className="queue-link"
            aria-current={isHere ? 'page' : undefined}
          >
            {title}
          </Link>
        )
      })}
    </Group>
  )
}

/** Whether two queries have the same parameters, in any order. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [new URLSearchParams(a), new URLSearchParams(b)]
  one.sort()
  other.sort()
  return one.toString() === other.toString()
}
