import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Pencil1Icon } from '@radix-ui/react-icons'
import { useState } from 'react'
import type { CaseDetail } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/show-invisible.ts'
import { Overtaken } from './overtaken.tsx'
import { useChange } from './use-change.ts'

interface CaseSummaryProps {
  readonly found: CaseDetail
  readonly path: string
  readonly etag: string | null
  readonly mayEdit: boolean
  readonly onDone: () => void
}

/** What came out, in a few sentences: by the playbook, or by whoever knows better. */
export function CaseSummary({ found, path, etag, mayEdit, onDone }: CaseSummaryProps) {
  const [draft, setDraft] = useState<Pick<CaseDetail, 'title' | 'summary'>>()
  const changing = useChange({ path, etag, onSettled: onDone, onSaved: () => setDraft(undefined) })
  const { change, isPending, error } = changing
  const { title, summary } = found
  const open = (): void => setDraft({ title, summary })
  return (
    <Section
      title="Summary"
      actions={
        mayEdit &&
        draft === undefined && (
          <Button size="compact-xs" variant="default" leftSection={<Pencil1Icon />} onClick={open}>
            Edit
          </Button>
        )
      }
    >
      {draft === undefined && (
        <Text size="sm" className="outside-text" {...(summary === '' && { c: 'dimmed' })}>
          {summary === '' ? 'Nothing is written yet.' : showInvisible(summary)}
        </Text>
      )}
      {draft !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            change({
              ...(draft.title !== title && { title: draft.title.trim() }),
              ...(draft.summary !== summary && { summary: draft.summary.trim() }),
            })
          }}
        >
          <Stack gap="sm">
            <TextInput
              size="xs"
              label="Title"
              value={draft.title}
              onChange={(event) => setDraft({ ...draft, title: event.currentTarget.value })}
              maxLength={500}
              required
              data-autofocus
            />
            <Textarea
              size="xs"
              label="Summary"
              value={draft.summary}
              onChange={(event) => setDraft({ ...draft, summary: event.currentTarget.value })}
              maxLength={10_000}
              autosize
              minRows={3}
              maxRows={14}
            />
            <Overtaken found={found} changing={changing} />
            {error !== undefined && <Refusal error={error} />}
            <Group gap="xs" justify="flex-end">
              <Button size="xs" variant="default" onClick={() => setDraft(undefined)}>
                Discard
              </Button>
              <Button
                type="submit"
                size="xs"
                loading={isPending}
                disabled={draft.title === title && draft.summary === summary}
              >
                Save
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Section>
  )
}
