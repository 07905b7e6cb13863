import { Button, Group, Text, Loader, Stack, TextInput, Anchor, Code, ScrollArea, Table } from '@mantine/core'
import { useState } from 'react'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Dialog } from '../parts/dialog.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import type { ApiCheckpoint, AnswerPreview } from '../api/types.ts'
import {
  oldestOf,
  kindsOf,
  kindText,
  maxBulkAnswers,
  type QuestionKind,
  outcomesText,
} from './question-list.ts'
import { apiCall } from '../api/call.ts'
import { trimmedText, useIdempotencyKey, useUnsavedInput } from '../forms/form-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { DateTime } from '../parts/times.tsx'

interface ManyAlikeProps {
  readonly checkpoints: readonly ApiCheckpoint[]
  /** Ids of selected questions. Empty: all of a kind. */
  readonly chosen: ReadonlySet<string>
  readonly onDone: () => void
}

/** Groups of similar questions that one answer can decide. */
export function BulkAnswers({ checkpoints, chosen, onDone }: ManyAlikeProps) {
  const [looked, setLooked] = useState<QuestionKind>()
  const picked = checkpoints.filter(({ checkpoint_id: id }) => chosen.has(id))
  const kinds = kindsOf(picked.length === 0 ? checkpoints : picked)
  const whatOf = ({ ids }: QuestionKind): string => {
    if (ids.length > maxBulkAnswers) return `the first ${maxBulkAnswers}`
    return picked.length === 0 ? 'all' : 'selected'
  }
  return (
    <>
      {kinds.map((kind) => (
        <Group
          key={`${kind.organization_code} ${kind.kind}`}
          gap="sm"
          role="group"
          aria-label="Similar questions"
        >
          <Text size="sm" className="outside-text">
            <b>{kind.ids.length}</b> × {showInvisible(kindText(kind.kind))} · {kind.organization_code}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => setLooked(oldestOf(kind))}>
            Review {whatOf(kind)} and answer
          </Button>
        </Group>
      ))}
      {looked !== undefined && (
        <BulkAnswerDialog
          kind={looked}
          onClose={() => setLooked(undefined)}
          onDone={() => {
            setLooked(undefined)
            onDone()
          }}
        />
      )}
    </>
  )
}

interface BulkAnswerDialogProps {
  readonly kind: QuestionKind
  readonly onClose: () => void
  readonly onDone: () => void
}

interface Outcomes {
  readonly data: readonly { readonly outcome: string }[]
}

/** Previews one answer to many questions. The responder confirms the number of targets. */
function BulkAnswerDialog({ kind, onClose, onDone }: BulkAnswerDialogProps) {
  const { remark, setRemark, preview, answer } = useBulkAnswer(kind, onDone)
  const { data } = preview
  const [counted, setCounted] = useState('')
  const isCounted = data !== undefined && counted.trim() === String(data.targets.length)
  return (
    <Dialog opened onClose={onClose} title={showInvisible(kindText(kind.kind))} size="xl">
      <Stack>
        {preview.isPending && <Loader size="sm" role="img" aria-label="Loading" />}
        {preview.isError && <ErrorAlert error={preview.error} />}
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
        {answer.isError && <ErrorAlert error={answer.error} />}
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
    </Dialog>
  )
}

function useBulkAnswer(kind: QuestionKind, onDone: () => void) {
  const queries = useQueryClient()
  const [remark, setRemark, forget] = useUnsavedInput({
    place: `Remark on all ${kindText(kind.kind)} in ${kind.organization_code}`,
    empty: '',
    textOf: trimmedText,
  })
  const preview = useQuery({
    queryKey: ['answer-preview', kind.ids],
    queryFn: () =>
      apiCall<AnswerPreview>('POST', '/checkpoints/answer/preview', { body: { checkpoints: kind.ids } }),
    // The preview must not change while it is read.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const { data } = preview
  const once = useIdempotencyKey()
  const answer = useMutation({
    mutationFn: (value: string) =>
      once.send<Outcomes>('/checkpoints/answer', {
        checkpoints: data?.data.map(({ checkpoint_id: id }) => id),
        seen: data?.seen,
        answer: value,
        ...(remark.trim() !== '' && { text: remark.trim() }),
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
  return { remark, setRemark, preview, answer }
}

/** All targets of one answer, and all questions. */
function AnswerTargets({ preview }: { readonly preview: AnswerPreview }) {
  const { targets, data, gone, organization_code: code } = preview
  return (
    <Stack gap="sm">
      <Text size="sm">
        <b>{data.length}</b> questions in <b>{code}</b>, <b>{targets.length}</b> different targets.
        {gone > 0 && ` ${gone} no longer waiting.`}
      </Text>
      <ScrollArea.Autosize mah={200} viewportProps={{ tabIndex: 0, 'aria-label': 'Targets' }}>
        <Table aria-label="Targets">
          <Table.Tbody>
            {targets.map(({ target, count }, index) => (
              <Table.Tr key={index}>
                <Table.Td>
                  <Code className="outside-text">{showInvisible(target)}</Code>
                </Table.Td>
                <Table.Td ta="right">{count} ×</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <ScrollArea.Autosize mah={260} viewportProps={{ tabIndex: 0, 'aria-label': 'Questions' }}>
        <Table aria-label="Questions" fz="xs">
          <Table.Tbody>
            {data.map((question) => (
              <Table.Tr key={question.checkpoint_id}>
                <Table.Td className="outside-text">
                  {showInvisible(question.message ?? question.target)}
                </Table.Td>
                <Table.Td>
                  <Anchor component={Link} href={`/runs/${question.run_uuid}`} fz="xs" underline="always">
                    {showInvisible(question.alert_id?.toUpperCase() ?? question.playbook)}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <DateTime at={question.created_at} ago />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </Stack>
  )
}
