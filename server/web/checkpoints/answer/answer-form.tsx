import { Button, Group, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import { problemOf } from '../../api/problem.ts'
import { defaultsOf, fieldErrors, fieldsOf, valueOf, type FormValues } from '../../forms/form-fields.ts'
import { FormRefusal } from '../../forms/form-refusal.tsx'
import { SchemaForm } from '../../forms/schema-form.tsx'
import { typedFields } from '../../forms/typed-fields.ts'
import { useTyped } from '../../forms/typed.ts'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import {
  answerPlace,
  consequenceText,
  outcomeTexts,
  styleOf,
  type Checkpoint,
  type Outcome,
} from '../checkpoint.ts'
import { ConfirmAnswer, Consequences, type Asked } from './confirm-answer.tsx'

interface AnswerFormProps {
  readonly checkpoint: Checkpoint
  /** Whether it waits; what was typed for one that is over is kept no longer. */
  readonly isOpen: boolean
}

interface Typed {
  readonly remark: string
  readonly values: FormValues
}

const looks = {
  danger: { variant: 'filled', color: 'red' },
  primary: { variant: 'filled' },
  plain: { variant: 'default' },
} as const

const nothing: Typed = { remark: '', values: {} }

/** The ways to answer a question in the place of whoever was asked. */
export function AnswerForm({ checkpoint, isOpen }: AnswerFormProps) {
  const { checkpoint_id: id, answers, form } = checkpoint
  const queries = useQueryClient()
  const fields = useMemo(() => (form === null ? [] : fieldsOf(form)), [form])
  const [{ remark, values }, setTyped, forget] = useTyped({
    place: answerPlace(checkpoint),
    empty: nothing,
    textOf: useCallback(
      (typed: Typed) => (isOpen ? `${typedFields(fields, typed.values)}\n${typed.remark}`.trim() : ''),
      [fields, isOpen],
    ),
  })
  const setValues = (next: FormValues): void => setTyped((typed) => ({ ...typed, values: next }))
  const setRemark = (next: string): void => setTyped((typed) => ({ ...typed, remark: next }))
  const answer = useMutation({
    mutationFn: (given: () => unknown) =>
      call<{ readonly outcome: Outcome }>('POST', `/checkpoints/${encodeURIComponent(id)}/answer`, {
        body: { answer: given(), ...(remark.trim() !== '' && { text: remark.trim() }) },
      }),
    onSuccess({ outcome }) {
      forget()
      notifications.show({
        color: outcome === 'accepted' ? 'green' : 'orange',
        message: outcomeTexts[outcome],
      })
      void queries.invalidateQueries({ queryKey: ['checkpoints'] })
    },
  })
  const [asked, setAsked] = useState<Asked>()
  /** Destructive actions follow only after a second click, which says what they are. */
  const give = (given: () => unknown, key: string | null, label: string): void => {
    if (consequenceText(checkpoint, key) === undefined) answer.mutate(given)
    else setAsked({ given, key, label })
  }
  const errors = fieldErrors(answer.isError ? problemOf(answer.error).errors : undefined, '/answer')
  return (
    <>
      {form !== null && <SchemaForm fields={fields} values={values} errors={errors} onChange={setValues} />}
      <TextInput
        size="xs"
        label="Remark"
        placeholder="Reason, recorded with the answer"
        value={remark}
        onChange={(event) => setRemark(event.currentTarget.value)}
        maxLength={1_000}
      />
      {answer.isError && <FormRefusal error={answer.error} shown={errors.size} />}
      <Group gap="xs">
        {answers?.map(({ value, label }) => (
          <Button
            key={value}
            size="xs"
            {...looks[styleOf(checkpoint, value) ?? 'plain']}
            className="outside-text"
            title={consequenceText(checkpoint, value) ?? (label === value ? undefined : value)}
            loading={answer.isPending}
            onClick={() => give(() => value, value, label)}
          >
            {showInvisible(label)}
          </Button>
        ))}
        {form !== null && (
          <Button
            size="xs"
            loading={answer.isPending}
            onClick={() => give(() => ({ ...defaultsOf(form), ...valueOf(fields, values) }), null, 'Answer')}
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
