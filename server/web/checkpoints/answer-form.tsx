import { Button, Group, TextInput, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { apiCall } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import {
  defaultsOf,
  fieldErrors,
  fieldsOf,
  formObject,
  type FormValues,
  changedFieldsText,
} from '../forms/form-fields.ts'
import { FormError, SchemaForm } from '../forms/schema-form.tsx'
import { useUnsavedInput } from '../forms/form-state.ts'
import { showInvisible } from '../parts/outside-text.ts'
import {
  answerPlace,
  consequenceText,
  outcomeTexts,
  styleOf,
  type AnswerResult,
  actionsAfter,
} from './checkpoint.ts'
import type { ApiCheckpoint } from '../api/types.ts'
import { approveText, itemsOf } from './approval.ts'
import { ItemTable } from './approval-parts.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { ConfirmDialog } from '../parts/feedback.tsx'

interface AnswerFormProps {
  readonly checkpoint: ApiCheckpoint
  /** Input for closed questions is discarded. */
  readonly isOpen: boolean
  /** What the answer of a closed question refused. Default: nothing, or it is open. */
  readonly refusedItems?: readonly number[] | undefined
}

interface Typed {
  readonly remark: string
  /** Places of actions that are refused. */
  readonly refused: readonly number[]
  readonly values: FormValues
}

const looks = {
  danger: { variant: 'filled', color: 'red' },
  primary: { variant: 'filled' },
  plain: { variant: 'default' },
} as const

const nothing: Typed = { remark: '', refused: [], values: {} }

/** The ways to answer a question here. */
export function AnswerForm({ checkpoint, isOpen, refusedItems }: AnswerFormProps) {
  const { answers, form } = checkpoint
  const { fields, remark, values, refused, setValues, setRemark, setRefused, answer } = useAnswer(
    checkpoint,
    isOpen,
  )
  const items = itemsOf(checkpoint)
  const [asked, setAsked] = useState<PendingAnswer>()
  /** Destructive actions need a confirmation. */
  const give = (given: () => unknown, key: string | null, label: string): void => {
    if (consequenceText(checkpoint, key) === undefined) answer.mutate(given)
    else setAsked({ given, key, label })
  }
  const textOf = (value: string, label: string): string =>
    items !== undefined && value === approving ? approveText(items, refused.size) : label
  const errors = fieldErrors(answer.isError ? apiProblem(answer.error).errors : undefined, '/answer')
  return (
    <>
      <ItemTable
        checkpoint={checkpoint}
        refused={refusedItems === undefined ? refused : new Set(refusedItems)}
        onChange={setRefused}
      />
      {form !== null && <SchemaForm fields={fields} values={values} errors={errors} onChange={setValues} />}
      <TextInput
        size="xs"
        label="Remark"
        placeholder="Reason, recorded with the answer"
        value={remark}
        onChange={(event) => setRemark(event.currentTarget.value)}
        maxLength={1_000}
      />
      {answer.isError && <FormError error={answer.error} shown={errors.size} />}
      <Group gap="xs">
        {answers?.map(({ value, label }) => (
          <Button
            key={value}
            size="xs"
            {...looks[styleOf(checkpoint, value) ?? 'plain']}
            className="outside-text"
            title={consequenceText(checkpoint, value) ?? (label === value ? undefined : value)}
            loading={answer.isPending}
            disabled={value === approving && refused.size > 0 && refused.size === items?.count}
            onClick={() => give(() => value, value, textOf(value, label))}
          >
            {showInvisible(textOf(value, label))}
          </Button>
        ))}
        {form !== null && (
          <Button
            size="xs"
            loading={answer.isPending}
            onClick={() =>
              give(() => ({ ...defaultsOf(form), ...formObject(fields, values) }), null, 'Answer')
            }
          >
            Answer
          </Button>
        )}
      </Group>
      <Consequences checkpoint={checkpoint} />
      {asked !== undefined && (
        <ConfirmAnswer
          checkpoint={checkpoint}
          asked={asked}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined)
            answer.mutate(asked.given)
          }}
        />
      )}
    </>
  )
}

/** The input and the request. */
function useAnswer(checkpoint: ApiCheckpoint, isOpen: boolean) {
  const { checkpoint_id: id, form } = checkpoint
  const queries = useQueryClient()
  const fields = useMemo(() => (form === null ? [] : fieldsOf(form)), [form])
  const [{ remark, values, refused: refusedItems }, setTyped, forget] = useUnsavedInput({
    place: answerPlace(checkpoint),
    empty: nothing,
    textOf: useCallback(
      (typed: Typed) =>
        isOpen
          ? `${changedFieldsText(fields, typed.values)}\n${typed.remark}\n${typed.refused.join()}`.trim()
          : '',
      [fields, isOpen],
    ),
  })
  const setValues = (next: FormValues): void => setTyped((typed) => ({ ...typed, values: next }))
  const refused = useMemo(() => new Set(refusedItems), [refusedItems])
  const setRefused = (next: ReadonlySet<number>): void =>
    setTyped((typed) => ({ ...typed, refused: [...next] }))
  const setRemark = (next: string): void => setTyped((typed) => ({ ...typed, remark: next }))
  const answer = useMutation({
    mutationFn: (given: () => unknown) =>
      apiCall<{ readonly outcome: AnswerResult }>('POST', `/checkpoints/${encodeURIComponent(id)}/answer`, {
        body: bodyOf(given(), remark, refused),
      }),
    onSuccess({ outcome }) {
      forget()
      notifications.show({
        color: outcome === 'accepted' ? 'green' : 'orange',
        // An answer of one of several people does not always decide.
        message:
          outcome === 'accepted' && checkpoint.group !== null ? 'Answer recorded' : outcomeTexts[outcome],
      })
      void queries.invalidateQueries({ queryKey: ['checkpoints'] })
    },
  })
  return { fields, remark, values, refused, setValues, setRemark, setRefused, answer }
}

/** The answer that approves the selected actions. */
const approving = 'approve'

const bodyOf = (answer: unknown, remark: string, refused: ReadonlySet<number>) => ({
  answer,
  ...(remark.trim() !== '' && { text: remark.trim() }),
  ...(answer === approving && refused.size > 0 && { refused_items: [...refused].toSorted((a, b) => a - b) }),
})

/** An answer that waits for confirmation. */
export interface PendingAnswer {
  readonly given: () => unknown
  /** Null for a form. */
  readonly key: string | null
  readonly label: string
}

interface ConfirmAnswerProps {
  readonly checkpoint: ApiCheckpoint
  readonly asked: PendingAnswer
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Confirms an answer that may lead to destructive actions. */
function ConfirmAnswer({ checkpoint, asked, onClose, onConfirm }: ConfirmAnswerProps) {
  return (
    <ConfirmDialog
      opened
      title={`Answer “${showInvisible(asked.label)}”?`}
      action={`Yes, answer “${showInvisible(asked.label)}”`}
      color="red"
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <Text size="sm">This answer may lead to destructive actions:</Text>
      <ul>
        {actionsAfter(checkpoint, asked.key).map(({ skill, title }) => (
          <li key={skill}>
            {title} ({skill})
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  )
}

/** What each answer may lead to. */
function Consequences({ checkpoint }: { readonly checkpoint: ApiCheckpoint }) {
  const lines = (checkpoint.answers ?? []).flatMap(({ value, label }) => {
    const text = consequenceText(checkpoint, value)
    return text === undefined ? [] : [`“${label}”: ${text}`]
  })
  const filled = checkpoint.form === null ? undefined : consequenceText(checkpoint, null)
  return [...lines, ...(filled === undefined ? [] : [filled])].map((line) => (
    <OutsideText key={line} size="xs" c="dimmed" text={line} />
  ))
}
