import { Box, Button, Combobox, Group, Stack, Textarea, useCombobox } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { apiCall } from '../../api/call.ts'
import { usePeople } from '../../api/lookups.ts'
import { handleSubmit, trimmedText, useIdempotencyKey, useUnsavedInput } from '../../forms/form-state.ts'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import { mentionBefore, peopleNamed, withMention } from './mention-choice.ts'

interface NoteFormProps {
  /** Id of the case. */
  readonly id: string
  /** Code. */
  readonly organization: string
  readonly path: string
  readonly onDone: () => void
}

/** Adds a note to the timeline. Sending it twice adds it once. */
export function NoteForm({ id, organization, path, onDone }: NoteFormProps) {
  const [text, setText, forget] = useUnsavedInput({
    place: `Note on case ${id.toUpperCase()}`,
    empty: '',
    textOf: trimmedText,
  })
  const [wantsPreview, setPreview] = useState(false)
  const isEmpty = text.trim() === ''
  const isPreview = wantsPreview && !isEmpty
  const once = useIdempotencyKey()
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const [added, setAdded] = useState(0)
  useEffect(() => {
    const { activeElement } = document
    // The button of the empty form is disabled and loses the focus.
    const isHere = activeElement === document.body || form.current?.contains(activeElement)
    if (added > 0 && isHere) field.current?.focus()
  }, [added])
  const add = useMutation({
    mutationFn(note: string) {
      const body = { text: note }
      return apiCall('POST', `${path}/notes`, { body, headers: once.headersFor(body) })
    },
    onSuccess(_, sent) {
      // Text typed while the note is sent becomes the next note.
      forget(sent)
      setPreview(false)
      once.done()
      onDone()
      setAdded((count) => count + 1)
    },
  })
  return (
    <form ref={form} onSubmit={handleSubmit(() => add.mutate(text))}>
      <Stack gap="xs" align="flex-end">
        {isPreview ? (
          <Box w="100%" role="region" aria-label="Preview" className="note-preview">
            <Markdown text={text} />
          </Box>
        ) : (
          <NoteField field={field} text={text} organization={organization} onType={setText} />
        )}
        {add.isError && <ErrorAlert error={add.error} />}
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={isEmpty} onClick={() => setPreview(!isPreview)}>
            {isPreview ? 'Write' : 'Preview'}
          </Button>
          <Button type="submit" size="xs" loading={add.isPending} disabled={isEmpty}>
            Add note
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface NoteFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly organization: string
  readonly onType: (text: string) => void
}

/** The text of a note. After `@` it offers the people who can be mentioned. */
function NoteField({ field, text, organization, onType }: NoteFieldProps) {
  const people = usePeople(organization)
  const combobox = useCombobox()
  const [caret, setCaret] = useState<number>()
  const mention = caret === undefined ? undefined : mentionBefore(text, caret)
  const offered = mention === undefined ? [] : peopleNamed(people, mention.query)
  const isOpen = offered.length > 0
  const query = mention?.query
  const { selectFirstOption } = combobox
  useEffect(() => {
    if (isOpen) selectFirstOption()
  }, [isOpen, query, selectFirstOption])
  const choose = (person: string): void => {
    if (mention === undefined) return
    const next = withMention(text, mention, person)
    // The field must have the text before the caret is set, and both before the next key.
    flushSync(() => {
      onType(next.text)
      setCaret(undefined)
    })
    field.current?.setSelectionRange(next.caret, next.caret)
  }
  return (
    <Combobox store={{ ...combobox, dropdownOpened: isOpen }} onOptionSubmit={choose}>
      <Combobox.Target>
        <Textarea
          ref={field}
          aria-label="Note"
          placeholder="Write a note in Markdown, @ mentions a person"
          value={text}
          onChange={({ currentTarget }) => {
            onType(currentTarget.value)
            setCaret(currentTarget.selectionStart)
          }}
          onKeyDown={(event) => {
            if (!isOpen || event.key !== 'Escape') return
            event.stopPropagation()
            setCaret(undefined)
          }}
          onBlur={() => setCaret(undefined)}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={10_000}
          w="100%"
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label="People">
          {offered.map((person) => (
            <Combobox.Option key={person} value={person} className="outside-text">
              {showInvisible(person)}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
