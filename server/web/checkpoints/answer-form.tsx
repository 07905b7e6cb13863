import { Button, Group, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call } from '../api/call.ts'
import { fieldsOf, valueOf, type FormValues } from '../forms/form-fields.ts'
import { SchemaForm } from '../forms/schema-form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { showInvisible } from '../parts/show-invisible.ts'
import { outcomeTexts, type Checkpoint, type Outcome } from './checkpoint.ts'

/** The ways to answer a question in the place of whoever was asked. */
export function AnswerForm({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const { checkpoint_id: id, answers, form } = checkpoint
  const queries = useQueryClient()
  const [remark, setRemark] = useState('')
  const [values, setValues] = useState<FormValues>({})
  const fields = useMemo(() => (form === null ? [] : fieldsOf(form)), [form])
  const answer = useMutation({
    mutationFn: (given: () => unknown) =>
      call<{ readonly outcome: Outcome }>('POST', `/checkpoints/${encodeURIComponent(id)}/answer`, {
        body: { answer: given(), ...(remark.trim() !== '' && { text: remark.trim() }) },
      }),
    onSuccess({ outcome }) {
      notifications.show({
        color: outcome === 'accepted' ? 'green' : 'orange',
        message: outcomeTexts[outcome],
      })
      void queries.invalidateQueries({ queryKey: ['checkpoints'] })
    },
  })
  return (
    <>
      {form !== null && <SchemaForm fields={fields} values={values} onChange={setValues} />}
      <TextInput
        size="xs"
        label="Remark"
        placeholder="Why; it is recorded with the answer"
        value={remark}
        onChange={(event) => setRemark(event.currentTarget.value)}
        maxLength={1_000}
      />
      {answer.isError && <Refusal error={answer.error} />}
      <Group gap="xs">
        {answers?.map(({ value, label }) => (
          <Button
            key={value}
            size="xs"
            variant="default"
            className="outside-text"
            title={label === value ? undefined : value}
            loading={answer.isPending}
            onClick={() => answer.mutate(() => value)}
          >
            {showInvisible(label)}
          </Button>
        ))}
        {form !== null && (
          <Button
            size="xs"
            loading={answer.isPending}
            onClick={() => answer.mutate(() => valueOf(fields, values))}
          >
            Answer
          </Button>
        )}
      </Group>
    </>
  )
}
