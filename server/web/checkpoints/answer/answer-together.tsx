import { Button, Group, Loader, Modal, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { typedText, useTyped } from '../../forms/typed.ts'
import { Refusal } from '../../parts/states/refusal.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { AnswerTargets } from './answer-targets.tsx'
import { kindText, outcomesText, type AnswerPreview, type Kind } from './kinds.ts'

interface AnswerTogetherProps {
  readonly kind: Kind
  readonly onClose: () => void
  readonly onDone: () => void
}

interface Outcomes {
  readonly data: readonly { readonly outcome: string }[]
}

/** What one answer would decide, as it is now; whoever answers has counted on how many targets. */
export function AnswerTogether({ kind, onClose, onDone }: AnswerTogetherProps) {
  const queries = useQueryClient()
  const [remark, setRemark, forget] = useTyped({
    place: `Remark on all ${kindText(kind.kind)} in ${kind.organization_code}`,
    empty: '',
    textOf: typedText,
  })
  const [counted, setCounted] = useState('')
  const preview = useQuery({
    queryKey: ['answer-preview', kind.ids],
    queryFn: () =>
      call<AnswerPreview>('POST', '/checkpoints/answer/preview', { body: { checkpoints: kind.ids } }),
    // What is looked at stays as it is.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const { data } = preview
  const answer = useMutation({
    mutationFn: (value: string) =>
      call<Outcomes>('POST', '/checkpoints/answer', {
        body: {
          checkpoints: data?.data.map(({ checkpoint_id: id }) => id),
          seen: data?.seen,
          answer: value,
          ...(remark.trim() !== '' && { text: remark.trim() }),
        },
      }),
    onSuccess({ data: outcomes }) {
      forget()
      const words = outcomes.map(({ outcome }) => outcome)
      const isAll = words.every((word) => word === 'accepted')
      notifications.show({ color: isAll ? 'green' : 'orange', message: outcomesText(words) })
      void queries.invalidateQueries({ queryKey: ['checkpoints'] })
      onDone()
    },
  })
  const isCounted = data !== undefined && counted.trim() === String(data.targets.length)
  return (
    <Modal opened onClose={onClose} title={showInvisible(kindText(kind.kind))} size="xl">
      <Stack>
        {preview.isPending && <Loader size="sm" aria-label="Loading" />}
        {preview.isError && <Refusal error={preview.error} />}
        {data !== undefined && <AnswerTargets preview={data} />}
        <TextInput
          label="Remark"
          placeholder="Reason, recorded with each answer"
          value={remark}
          onChange={(event) => setRemark(event.currentTarget.value)}
          maxLength={1_000}
        />
        <TextInput
          label="Number of different targets"
          description="Enter the number above to confirm: one answer decides for all of them."
          inputMode="numeric"
          autoComplete="off"
          value={counted}
          onChange={(event) => setCounted(event.currentTarget.value)}
        />
        {answer.isError && <Refusal error={answer.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          {data?.answers.map(({ value, label }) => (
            <Button
              key={value}
              variant="light"
              disabled={!isCounted}
              loading={answer.isPending}
              onClick={() => answer.mutate(value)}
            >
              {showInvisible(label)} · {data.data.length}
            </Button>
          ))}
        </Group>
        {(data?.left ?? 0) > 0 && (
          <Text size="sm" c="dimmed">
            {data?.left} more of this kind
          </Text>
        )}
      </Stack>
    </Modal>
  )
}
