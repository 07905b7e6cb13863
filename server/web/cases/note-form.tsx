import { Button, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { typedText, useTyped } from '../forms/typed.ts'
import { useOnce } from '../forms/use-once.ts'
import { Refusal } from '../parts/states/refusal.tsx'

interface NoteFormProps {
  /** Of the case. */
  readonly id: string
  readonly path: string
  readonly onDone: () => void
}

/** Adds a note to the timeline of a case, once, however often it has to be sent. */
export function NoteForm({ id, path, onDone }: NoteFormProps) {
  const [text, setText, forget] = useTyped({
    place: `Note on case ${id.toUpperCase()}`,
    empty: '',
    textOf: typedText,
  })
  const once = useOnce()
  const add = useMutation({
    mutationFn(note: string) {
      const body = { text: note }
      return call('POST', `${path}/notes`, { body, headers: once.headersFor(body) })
    },
    onSuccess(_, sent) {
      // What was typed meanwhile is the next note.
      forget(sent)
      once.done()
      onDone()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate(text)
      }}
    >
      <Stack gap="xs" align="flex-end">
        <Textarea
          aria-label="Note"
          placeholder="Write a note"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={10_000}
          w="100%"
        />
        {add.isError && <Refusal error={add.error} />}
        <Button type="submit" size="xs" loading={add.isPending} disabled={text.trim() === ''}>
          Add note
        </Button>
      </Stack>
    </form>
  )
}
