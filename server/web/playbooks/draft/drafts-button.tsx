import { Badge, Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../../api/call.ts'
import type { ApiListedDraft } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TextLink } from '../../parts/layout.tsx'
import { actorText } from '../../parts/outside-text.ts'
import { SmallTable, type SmallColumn } from '../../parts/small-table.tsx'
import { OutsideText } from '../../parts/text-view.tsx'
import { TableTime } from '../../parts/times.tsx'

const columns: readonly SmallColumn<ApiListedDraft>[] = [
  {
    title: 'Playbook',
    cell: ({ name, base_hash: base, published_hash: published }) => (
      <Group gap="xs">
        <TextLink href={`/playbooks/${name}/draft`} isStrong>
          {name}
        </TextLink>
        {base === null && published === null && <Badge color="gray">New</Badge>}
        {base !== published && <Badge color="orange">Outdated</Badge>}
      </Group>
    ),
  },
  { title: 'Saved by', cell: ({ changed_by: by }) => <OutsideText text={actorText(by)} /> },
  { title: 'Saved', isNarrow: true, cell: ({ changed_at: at }) => <TableTime at={at} /> },
]

/** Opens the list of all drafts, also of playbooks that do not exist yet. Hidden without drafts. */
export function DraftsButton() {
  const [opened, { open, close }] = useDisclosure()
  const drafts = useQuery({
    queryKey: ['drafts'],
    queryFn: () => apiGet<{ readonly data: readonly ApiListedDraft[] }>('/playbook-drafts'),
  })
  const rows = drafts.data?.data ?? []
  if (rows.length === 0 && !opened) return null
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Drafts ({rows.length.toLocaleString()})
      </Button>
      <Dialog opened={opened} onClose={close} title="Drafts of playbooks" size="lg">
        <SmallTable
          title="Drafts"
          count={rows.length}
          rows={rows}
          columns={columns}
          idOf={({ name }) => name}
          mah={480}
          empty="No drafts"
        />
      </Dialog>
    </>
  )
}
