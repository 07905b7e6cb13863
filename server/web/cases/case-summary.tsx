import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Pencil1Icon } from '@radix-ui/react-icons'
import type { Tagged } from '../api/call.ts'
import type { Case, CaseDetail } from '../api/types.ts'
import { useTyped } from '../forms/typed.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { Overtaken } from './overtaken.tsx'
import { afterSaving, meanwhileText, touch, touchedText, type Touched } from './touched.ts'
import { useChange } from './use-change.ts'

interface CaseSummaryProps {
  readonly found: CaseDetail
  readonly path: string
  readonly etag: string | null
  readonly mayEdit: boolean
  readonly onDone: () => void
  readonly onSaved: (saved: Tagged<Case>) => void
}

/** What is typed, of the fields that were touched; the others follow the case. */
type Draft = { readonly [name in 'title' | 'summary']?: Touched | undefined }

const textOf = (draft: Draft | undefined): string =>
  [draft?.title, draft?.summary].map(touchedText).join('\n').trim()

/** What came out, in a few sentences: by the playbook, or by whoever knows better. */
export function CaseSummary({ found, path, etag, mayEdit, onDone, onSaved }: CaseSummaryProps) {
  const [draft, setDraft] = useTyped<Draft | undefined>({
    place: `Summary of case ${found.case_id.toUpperCase()}`,
    empty: undefined,
    textOf,
  })
  const changing = useChange({
    path,
    found,
    etag,
    onSettled: onDone,
    onSaved(saved, sent) {
      onSaved(saved)
      setDraft((now) => {
        const left = {
          title: afterSaving(now?.title, sent.title),
          summary: afterSaving(now?.summary, sent.summary),
        }
        return textOf(left) === '' ? undefined : left
      })
    },
    onGivenIn: () => setDraft(undefined),
  })
  const { changeFrom, isPending, error } = changing
  const { title, summary } = found
  const type = (name: keyof Draft, value: string): void =>
    setDraft((before) => ({ ...before, [name]: touch(before?.[name], found[name], value) }))
  const texts = { title: draft?.title?.value ?? title, summary: draft?.summary?.value ?? summary }
  return (
    <Section
      title="Summary"
      actions={
        mayEdit &&
        draft === undefined && (
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<Pencil1Icon />}
            onClick={() => setDraft({})}
          >
            Edit
          </Button>
        )
      }
    >
      {draft === undefined && (
        <Text size="sm" className="outside-text" {...(summary === '' && { c: 'dimmed' })}>
          {summary === '' ? 'No summary yet' : showInvisible(summary)}
        </Text>
      )}
      {draft !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const names = (['title', 'summary'] as const).filter((name) => texts[name] !== found[name])
            changeFrom(
              Object.fromEntries(names.map((name) => [name, draft[name]?.from])),
              Object.fromEntries(names.map((name) => [name, texts[name].trim()])),
            )
          }}
        >
          <Stack gap="sm">
            <TextInput
              size="xs"
              label="Title"
              value={texts.title}
              onChange={(event) => type('title', event.currentTarget.value)}
              error={meanwhileText(draft.title, title)}
              maxLength={500}
              required
              data-autofocus
            />
            <Textarea
              size="xs"
              label="Summary"
              value={texts.summary}
              onChange={(event) => type('summary', event.currentTarget.value)}
              error={meanwhileText(draft.summary, summary)}
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
                disabled={texts.title === title && texts.summary === summary}
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
