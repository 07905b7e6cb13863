import { Button, Group, Radio, Select, SimpleGrid, Stack, Textarea } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { ApiCase, CaseChange } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { selectOptions, verdictLooks } from '../parts/states.tsx'

type Reason = NonNullable<ApiCase['closing_reason']>

const reasons: Readonly<Record<Reason, readonly [label: string, description: string]>> = {
  true_positive: ['True positive', 'An attack, or a violation of a policy'],
  benign_positive: ['Benign positive', 'It happened, and it was allowed'],
  false_positive: ['False positive', 'It did not happen as reported'],
  duplicate: ['Duplicate', 'Another case is about the same'],
  undetermined: ['Undetermined', 'Too little information to tell'],
  other: ['Other', 'The resolution says more'],
}

/** The closing reason for people; empty for null. */
export const reasonText = (reason: ApiCase['closing_reason']): string =>
  reason === null ? '' : reasons[reason][0]

export const reasonOptions = Object.entries(reasons).map(([value, [label]]) => ({ value, label }))

interface CloseDialogProps {
  readonly title: string
  readonly action: string
  readonly isPending: boolean
  readonly error?: unknown
  readonly onClose: () => void
  readonly onConfirm: (changes: CaseChange) => void
  readonly children?: ReactNode
}

/** Asks why cases are closed, and what was done. */
export function CloseDialog({
  title,
  action,
  isPending,
  error = null,
  onClose,
  onConfirm,
  children,
}: CloseDialogProps) {
  const [reason, setReason] = useState<Reason>()
  const [verdict, setVerdict] = useState<ApiCase['verdict'] | null>(null)
  const [resolution, setResolution] = useState('')
  const confirm = (): void => {
    if (reason === undefined) return
    onConfirm({
      status: 'closed',
      closing_reason: reason,
      ...(verdict !== null && { verdict }),
      ...(resolution.trim() !== '' && { resolution: resolution.trim() }),
    })
  }
  return (
    <Dialog opened onClose={onClose} title={title} size="lg">
      <form onSubmit={handleSubmit(confirm)}>
        <Stack>
          {children}
          <Radio.Group label="Reason" required value={reason ?? null} onChange={(value) => setReason(value)}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
              {Object.entries(reasons).map(([value, [label, description]], index) => (
                <Radio
                  key={value}
                  value={value}
                  label={label}
                  description={description}
                  {...(index === 0 && { 'data-autofocus': true })}
                />
              ))}
            </SimpleGrid>
          </Radio.Group>
          <Select
            label="Verdict"
            placeholder="Leave as it is"
            data={selectOptions(verdictLooks)}
            value={verdict}
            onChange={(value) => setVerdict(value)}
            clearable
          />
          <Textarea
            label="Resolution"
            placeholder="What was done (optional)"
            maxLength={10_000}
            autosize
            minRows={2}
            maxRows={8}
            value={resolution}
            onChange={({ currentTarget }) => setResolution(currentTarget.value)}
          />
          {error !== null && <ErrorAlert error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Back
            </Button>
            <Button type="submit" loading={isPending} disabled={reason === undefined}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
