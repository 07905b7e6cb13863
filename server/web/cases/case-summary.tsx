import type { Dispatch, SetStateAction } from 'react'
import { Button, Group, Stack, TextInput, Text, Textarea, Title } from '@mantine/core'
import { PencilIcon } from 'lucide-react'
import type { Tagged } from '../api/call.ts'
import type { ApiCase, ApiCaseDetail } from '../api/types.ts'
import { useUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'
import {
  fieldAfterSave,
  conflictText,
  editField,
  editedText,
  type EditedField,
  useCaseChange,
  type CaseChanging,
} from './use-case-change.ts'
import { showInvisible } from '../parts/outside-text.ts'

import { CaseConflict } from './case-edit.tsx'

interface CaseSummaryProps {
  readonly found: ApiCaseDetail
  readonly path: string
  readonly etag: string | null
  readonly mayEdit: boolean
  readonly onDone: () => void
  readonly onSaved: (saved: Tagged<ApiCase>) => void
}

/** Fields that were edited. The others follow the case. */
type Draft = { readonly [name in 'title' | 'summary']?: EditedField | undefined }

const textOf = (draft: Draft | undefined): string =>
  [draft?.title, draft?.summary].map(editedText).join('\n').trim()

/** The title and summary of a case, with a form to edit them. */
export function CaseSummary({ found, path, etag, mayEdit, onDone, onSaved }: CaseSummaryProps) {
  const [draft, setDraft] = useUnsavedInput<Draft | undefined>({
    place: `Summary of case ${found.case_id.toUpperCase()}`,
    empty: undefined,
    textOf,
  })
  const changing = useCaseChange({
    path,
    found,
    etag,
    onSettled: onDone,
    onSaved(saved, sent) {
      onSaved(saved)
      setDraft((now) => {
        const left = {
          title: fieldAfterSave(now?.title, sent.title),
          summary: fieldAfterSave(now?.summary, sent.summary),
        }
        return textOf(left) === '' ? undefined : left
      })
    },
    onGivenIn: () => setDraft(undefined),
  })
  const { summary } = found
  return (
    <Section
      title="Summary"
      actions={
        mayEdit &&
        draft === undefined && (
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<PencilIcon />}
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
      {found.resolution !== '' && draft === undefined && (
        <>
          <Title order={3} mt="md" mb={4}>
            Resolution
          </Title>
          <Text size="sm" className="outside-text">
            {showInvisible(found.resolution)}
          </Text>
        </>
      )}
      {draft !== undefined && (
        <SummaryForm found={found} draft={draft} onDraft={setDraft} changing={changing} />
      )}
    </Section>
  )
}

interface SummaryFormProps {
  readonly found: ApiCaseDetail
  readonly draft: Draft
  readonly onDraft: Dispatch<SetStateAction<Draft | undefined>>
  readonly changing: CaseChanging
}

function SummaryForm({ found, draft, onDraft, changing }: SummaryFormProps) {
  const { changeFrom, isPending, error } = changing
  const { title, summary } = found
  const texts = { title: draft.title?.value ?? title, summary: draft.summary?.value ?? summary }
  const type = (name: keyof Draft, value: string): void =>
    onDraft((before) => ({ ...before, [name]: editField(before?.[name], found[name], value) }))
  return (
    <form
      onSubmit={handleSubmit(() => {
        const names = (['title', 'summary'] as const).filter((name) => texts[name] !== found[name])
        changeFrom(
          Object.fromEntries(names.map((name) => [name, draft[name]?.from])),
          Object.fromEntries(names.map((name) => [name, texts[name].trim()])),
        )
      })}
    >
      <Stack gap="sm">
        <TextInput
          size="xs"
          label="Title"
          value={texts.title}
          onChange={(event) => type('title', event.currentTarget.value)}
          error={conflictText(draft.title, title)}
          maxLength={500}
          required
          data-autofocus
        />
        <Textarea
          size="xs"
          label="Summary"
          value={texts.summary}
          onChange={(event) => type('summary', event.currentTarget.value)}
          error={conflictText(draft.summary, summary)}
          maxLength={10_000}
          autosize
          minRows={3}
          maxRows={14}
        />
        <CaseConflict found={found} changing={changing} />
        {error !== undefined && <ErrorAlert error={error} />}
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" onClick={() => onDraft(undefined)}>
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
  )
}
