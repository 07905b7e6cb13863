import { JsonTextarea } from '../forms/schema-form.tsx'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDisclosure } from '@mantine/hooks'
import { apiCall, apiGet } from '../api/call.ts'
import type { ApiRunDetail, ApiSkillDetail, ApiStep } from '../api/types.ts'
import { trimmedText, useUnsavedInput, useJsonText } from '../forms/form-state.ts'
import { ErrorAlert, ConfirmDialog } from '../parts/feedback.tsx'
import { useMay } from '../session/session.ts'
import { skeletonText, type Shape } from '../forms/form-fields.ts'
import { JsonView } from '../parts/text-view.tsx'

type Said =
  | { readonly decision: 'ran'; readonly output: unknown }
  | { readonly decision: 'ran_output_unknown' | 'run_again' | 'skip' }

/** A form to decide about a step with unknown outcome. */
export function ResolveStep({ run, step }: { readonly run: ApiRunDetail; readonly step: ApiStep }) {
  const { path, kind } = step
  const queries = useQueryClient()
  const skill = useQuery({
    queryKey: ['skill', kind],
    queryFn: () => apiGet<ApiSkillDetail>(`/skills/${encodeURIComponent(kind)}`),
    staleTime: Infinity,
  })
  const declared = skill.data?.output as Shape | undefined
  const typed = useUnsavedInput<string | undefined>({
    place: `Output of ${path} in run ${run.run_uuid}`,
    empty: undefined,
    textOf: trimmedText,
  })
  const [, , forget] = typed
  const output = useJsonText(typed, skeletonText(declared ?? {}))
  const resolve = useMutation({
    mutationFn: (said: Said) => apiCall('POST', `/runs/${run.run_uuid}/resolve`, { body: { path, ...said } }),
    onSuccess: () => forget(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', run.run_uuid] }),
  })
  if (!useMay('runs:write')) return null
  return (
    <Stack gap="xs">
      <Text size="sm">
        The outcome of this step is unknown, and it must not run twice. Check the other system, then record
        the outcome.
      </Text>
      <JsonTextarea
        label="Output, if it happened"
        description={
          declared === undefined ? 'The output as JSON' : `The output of ${kind} as JSON: fill in each “…”`
        }
        field={output.field}
      />
      <Text size="xs" c="dimmed">
        If the output is unknown, later steps get the default of this step. Without a default, reading the
        output fails.
      </Text>
      {resolve.isError && <ErrorAlert error={resolve.error} />}
      <Group gap="xs">
        <Button
          size="xs"
          onClick={() => output.read((given) => resolve.mutate({ decision: 'ran', output: given }))}
          loading={resolve.isPending}
        >
          It happened
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => resolve.mutate({ decision: 'ran_output_unknown' })}
        >
          It happened; output unknown
        </Button>
        <RunAgain
          step={step}
          isPending={resolve.isPending}
          onRunAgain={() => resolve.mutate({ decision: 'run_again' })}
        />
        <Button size="xs" variant="default" onClick={() => resolve.mutate({ decision: 'skip' })}>
          Skip step
        </Button>
      </Group>
    </Stack>
  )
}

interface RunAgainProps {
  readonly step: ApiStep
  readonly isPending: boolean
  readonly onRunAgain: () => void
}

/** Confirms that a step with unknown outcome runs again. */
function RunAgain({ step, isPending, onRunAgain }: RunAgainProps) {
  const [isAsking, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Run again
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={`Run ${step.kind} again?`}
        action="It did not happen: run again"
        color="red"
        isPending={isPending}
        onClose={close}
        onConfirm={() => {
          close()
          onRunAgain()
        }}
      >
        <Text size="sm">
          If the step did take effect, running it again has the effect twice. Check the other system first.
        </Text>
        <JsonView value={step.input} label={`Input of ${step.path}`} title="Input" level={3} />
      </ConfirmDialog>
    </>
  )
}
