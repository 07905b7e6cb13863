import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ApiDraft } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { OutsideText } from '../../parts/text-view.tsx'
import { useSaveDraft } from './use-save-draft.ts'

interface ReadersNoteProps {
  readonly draft: ApiDraft
  /** Not while there are unsaved changes, which would then be based on an older revision. */
  readonly mayEdit: boolean
}

/** What the author says to readers of the draft. */
export function ReadersNote({ draft, mayEdit }: ReadersNoteProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <Group gap="sm" align="flex-start">
      {draft.note !== '' && <OutsideText text={draft.note} />}
      {mayEdit && (
        <Button size="compact-xs" variant="default" onClick={open}>
          {draft.note === '' ? 'Add note' : 'Edit note'}
        </Button>
      )}
      <Dialog opened={opened} onClose={close} title="Note for readers of the draft">
        {opened && <NoteForm draft={draft} onDone={close} />}
      </Dialog>
    </Group>
  )
}

function NoteForm({ draft, onDone }: { readonly draft: ApiDraft; readonly onDone: () => void }) {
  const { name, source, base_hash: base, revision } = draft
  const [note, setNote] = useState(draft.note)
  const drafts = useSaveDraft(onDone)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        drafts.save({ name, source, base, revision, note: note.trim() })
      }}
    >
      <Stack>
        <Textarea
          label="Note"
          description="For example what the change is for, and what to look at"
          autosize
          minRows={3}
          maxLength={2_000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        {drafts.failure !== null && <ErrorAlert error={drafts.failure} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={drafts.isPending}>
            Save note
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
