import { stepName } from '../../../core/engine/journal/step-name.ts'
import { Checkbox, Fieldset, Paper, Stack, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useNow } from '../parts/time.ts'
import { ApprovalDetails, ItemTable } from './approval-parts.tsx'
import { isShownByApproval } from './approval.ts'
import { AnswerForm } from './answer-form.tsx'
import {
  recipientOf,
  otherInputs,
  groupText,
  questionOf,
  answererText,
  shownAnswer,
  timeoutText,
  howToAnswer,
} from './checkpoint.ts'
import type { ApiCheckpoint } from '../api/types.ts'
import { useMay } from '../session/session.ts'
import { JsonView, OutsideText } from '../parts/text-view.tsx'
import { showInvisible, stepHref } from '../parts/outside-text.ts'
import { DateTime } from '../parts/times.tsx'
import { apiGet } from '../api/call.ts'
import { batchedLoader } from './question-list.ts'
import { TextLink } from '../parts/layout.tsx'

interface CheckpointCardProps {
  readonly checkpoint: ApiCheckpoint
  /** It was open and no longer is. */
  readonly isEnded?: boolean
  /** Undefined if it cannot be answered with others. */
  readonly choice?: { readonly isChosen: boolean; readonly onChange: (isChosen: boolean) => void } | undefined
}

/** One question, its result, and a form while it is open. */
export function CheckpointCard({ checkpoint: shown, isEnded = false, choice }: CheckpointCardProps) {
  const checkpoint = useEnded(shown, isEnded)
  const { checkpoint_id: id, state, timeout_at: timeoutAt } = checkpoint
  const isOpen = useNow(state === 'waiting') < timeoutAt && state === 'waiting' && !isEnded
  const mayAnswer = useMay('questions:write')
  // The form keeps its place and its input, so that nothing else moves under the pointer.
  const [wasOpen] = useState(isOpen)
  return (
    <Paper withBorder p="md" component="article" aria-label={`Question ${id}`}>
      <Stack gap="sm">
        <AboutCheckpoint checkpoint={checkpoint} />
        <CheckpointOutcome checkpoint={checkpoint} isShort={wasOpen} />
        {!(wasOpen && mayAnswer) && (
          <ItemTable checkpoint={checkpoint} refused={new Set(checkpoint.answer?.refused_items)} />
        )}
        {wasOpen && !mayAnswer && <WhoAnswers checkpoint={checkpoint} />}
        {wasOpen && mayAnswer && (
          <Fieldset variant="unstyled" m={0} disabled={!isOpen}>
            <Stack gap="sm">
              <AnswerForm
                checkpoint={shown}
                isOpen={isOpen}
                refusedItems={checkpoint.answer?.refused_items}
              />
            </Stack>
          </Fieldset>
        )}
        {wasOpen && choice !== undefined && (
          <Checkbox
            size="xs"
            label="Select for bulk answer"
            disabled={!isOpen}
            checked={choice.isChosen}
            onChange={(event) => choice.onChange(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </Paper>
  )
}

/** The question, its recipient and its source. */
function AboutCheckpoint({ checkpoint }: { readonly checkpoint: ApiCheckpoint }) {
  const { run_uuid: run, alert_id: alert, case_id: caseId, case_title: title, path, playbook } = checkpoint
  const asked = recipientOf(checkpoint)
  const runHref = stepHref(run, path)
  const group = groupText(checkpoint)
  return (
    <Stack gap="xs">
      <Title order={2} size="h4" className="outside-text">
        {showInvisible(questionOf(checkpoint))}
      </Title>
      <Text size="sm" c="dimmed">
        {checkpoint.organization_code} · asked {asked !== undefined && <>{showInvisible(asked)} </>}
        <DateTime at={checkpoint.created_at} ago /> via{' '}
        {showInvisible(checkpoint.connection ?? checkpoint.via)}
      </Text>
      <Group gap="md">
        <PlaceLink href={runHref} text={`${playbook} · step ${stepName({ path, kind: 'checkpoint' })}`} />
        {alert !== null && <PlaceLink href={`/alerts/${alert}`} text={alert.toUpperCase()} />}
        {caseId !== null && (
          <PlaceLink
            href={`/cases/${caseId}`}
            text={`Case ${caseId.toUpperCase()}${title === null ? '' : `: ${title}`}`}
          />
        )}
      </Group>
      {group !== undefined && <OutsideText text={group} />}
      <ApprovalDetails checkpoint={checkpoint} />
      {otherInputs(checkpoint)
        .filter(([name]) => !isShownByApproval(checkpoint, name))
        .map(([name, value]) =>
          typeof value === 'object' ? (
            <JsonView key={name} value={value} label={`${name} of the question`} />
          ) : (
            <OutsideText
              key={name}
              text={`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`}
            />
          ),
        )}
    </Stack>
  )
}

function PlaceLink({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <TextLink href={href} isUnderlined>
      {showInvisible(text)}
    </TextLink>
  )
}

interface CheckpointOutcomeProps {
  readonly checkpoint: ApiCheckpoint
  /** On one line: a long remark would move the content below. */
  readonly isShort: boolean
}

/** The timeout of a question, or its answer. */
function CheckpointOutcome({ checkpoint, isShort }: CheckpointOutcomeProps) {
  const { state, answer, answers, timeout_at: timeoutAt } = checkpoint
  if (answer !== null)
    return (
      <Text size="sm" className="outside-text" {...(isShort && { lineClamp: 1 })}>
        <b>{showInvisible(answer.label ?? shownAnswer(answer.value, answers))}</b>, answered by{' '}
        {showInvisible(answererText(answer))} <DateTime at={answer.at} ago />
        {answer.text !== null && showInvisible(`: “${answer.text}”`)}
      </Text>
    )
  if (state === 'withdrawn') return <Text size="sm">The run stopped waiting.</Text>
  if (state === 'decided') return <Text size="sm">The answers of other people decided.</Text>
  const silence = timeoutText(checkpoint)
  return (
    <Text size="sm" className="outside-text">
      {state === 'waiting' ? 'Times out ' : 'Timed out '}
      <DateTime at={timeoutAt} ago />
      {silence !== undefined && showInvisible(`, ${silence}`)}
    </Text>
  )
}

/** For readers, who cannot answer. */
function WhoAnswers({ checkpoint }: { readonly checkpoint: ApiCheckpoint }) {
  return <OutsideText c="dimmed" text={howToAnswer(checkpoint)} />
}

const load = batchedLoader(apiGet)

/** Loads the result of a closed question; the question itself until then. */
function useEnded(checkpoint: ApiCheckpoint, isEnded: boolean): ApiCheckpoint {
  const { checkpoint_id: id } = checkpoint
  const found = useQuery({
    queryKey: ['checkpoint', id],
    queryFn: () => load(id),
    enabled: isEnded,
    // The result never changes.
    staleTime: Infinity,
  })
  return isEnded ? (found.data ?? checkpoint) : checkpoint
}
