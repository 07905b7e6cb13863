import { Anchor, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { call } from '../api/call.ts'
import { fieldsOf, valueOf, type FormValues } from '../forms/form-fields.ts'
import { SchemaForm } from '../forms/schema-form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { showInvisible } from '../parts/show-invisible.ts'
import { Time } from '../parts/times.tsx'
import { askedOf, outcomeTexts, questionOf, type Checkpoint, type Outcome } from './checkpoint.ts'

/** One question, and the ways to answer it in the place of whoever was asked. */
export function CheckpointCard({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const { checkpoint_id: id, run_uuid: run, answers, form } = checkpoint
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
  const asked = askedOf(checkpoint)
  return (
    <Paper withBorder p="md" component="article" aria-label={`Question ${id}`}>
      <Stack gap="sm">
        <Title order={2} size="h4" className="outside-text">
          {showInvisible(questionOf(checkpoint))}
        </Title>
        <Text size="sm" c="dimmed">
          {checkpoint.organization_code} · asked <Time at={checkpoint.created_at} ago /> by{' '}
          <Anchor
            underline="always"
            component={Link}
            href={`/runs/${run}?${new URLSearchParams({ step: checkpoint.path }).toString()}`}
            size="sm"
          >
            this run
          </Anchor>{' '}
          through {checkpoint.via}
          {asked !== undefined && <> of {showInvisible(asked)}</>} · time is up{' '}
          <Time at={checkpoint.timeout_at} ago />
        </Text>
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
          {answers?.map((word) => (
            <Button
              key={word}
              size="xs"
              variant="default"
              loading={answer.isPending}
              onClick={() => answer.mutate(() => word)}
            >
              {word}
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
      </Stack>
    </Paper>
  )
}
