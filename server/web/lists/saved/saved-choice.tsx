import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { useSearch, Link } from 'wouter'
import type { SharedView } from '../../../../core/ports/access/shared-filter-store.ts'
import { handleSubmit } from '../../forms/form-state.ts'
import { OutsideText } from '../../parts/text-view.tsx'
import { isWithoutRoom, withSaved, type SavedFilter } from './saved-filters.ts'
import { SharedFilters, ShareButton } from './shared-filters.tsx'

interface SavedChoiceProps {
  readonly view: SharedView
  readonly saved: readonly SavedFilter[]
  /** Changes those that are saved now, also by another tab. */
  readonly onChange: (change: (saved: readonly SavedFilter[]) => readonly SavedFilter[]) => void
  readonly onClose: () => void
}

/** Filters saved in this browser, shared ones, and a form that saves those of the list. */
export default function SavedChoice({ view, saved, onChange: keep, onClose: close }: SavedChoiceProps) {
  const search = useSearch()
  const [name, setName] = useState('')
  const isFull = isWithoutRoom(saved, name.trim())
  return (
    <Stack gap={6}>
      {saved.length === 0 && (
        <Text size="xs" c="dimmed">
          Saved filters stay in this browser.
        </Text>
      )}
      {saved.map((filter) => (
        <Group key={filter.name} gap={4} wrap="nowrap" justify="space-between">
          <Link href={`/${view}?${filter.search}`} className="row-link" onClick={close}>
            <OutsideText span text={filter.name} />
          </Link>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={`Delete ${filter.name}`}
            onClick={() => keep((all) => all.filter((each) => each.name !== filter.name))}
          >
            <Trash2Icon />
          </ActionIcon>
        </Group>
      ))}
      <SharedFilters view={view} onOpen={close} />
      {search !== '' && (
        <form
          onSubmit={handleSubmit(() => {
            keep((all) => withSaved(all, { name: name.trim(), search }))
            setName('')
            close()
          })}
        >
          <Group gap={6} wrap="nowrap">
            <TextInput
              size="xs"
              aria-label="Name for these filters"
              placeholder="Name for these filters"
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={isFull && 'Limit reached: delete a saved filter first.'}
            />
            <Button size="xs" type="submit" disabled={name.trim() === '' || isFull}>
              Save
            </Button>
          </Group>
          <ShareButton view={view} name={name.trim()} search={search} onDone={() => setName('')} />
        </form>
      )}
    </Stack>
  )
}
