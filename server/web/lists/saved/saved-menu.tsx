import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { BookmarkIcon, TrashIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { useSearch, Link } from 'wouter'
import { isWithoutRoom, readSaved, withSaved, type SavedFilter } from './saved-filters.ts'
import { OutsideText } from '../../parts/text-view.tsx'
import { handleSubmit } from '../../forms/form-state.ts'
import { SharedFilters, ShareButton } from './shared-filters.tsx'

const nothing: readonly SavedFilter[] = []

/** A menu of filters saved in this browser. */
export function SavedMenu({ view }: { readonly view: 'alerts' | 'cases' | 'runs' }) {
  const place = `tocsin.filters.${view}`
  const search = useSearch()
  const [opened, { toggle, close }] = useDisclosure()
  // Changes in other tabs arrive here too.
  const [saved, keep] = useLocalStorage<readonly SavedFilter[]>({
    key: place,
    defaultValue: nothing,
    getInitialValueInEffect: false,
    serialize: (filters) => JSON.stringify(filters),
    deserialize: (text) => readSaved(text ?? null),
  })
  const [name, setName] = useState('')
  const isFull = isWithoutRoom(saved, name.trim())
  return (
    <Popover opened={opened} onChange={(is) => !is && close()} position="bottom-start" width={300} trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<BookmarkIcon />} onClick={toggle}>
          Saved
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
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
                <TrashIcon />
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
      </Popover.Dropdown>
    </Popover>
  )
}
