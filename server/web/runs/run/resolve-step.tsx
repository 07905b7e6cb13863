import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, get } from '../../api/call.ts'
import type { Page, RunDetail, Step } from '../../api/types.ts'
import { typedText, useTyped } from '../../forms/typed.ts'
import { useJsonText } from '../../forms/use-json-text.ts'
import { Refusal } from '../../parts/states/refusal.tsx'
import { useMay } from '../../session/session.ts'
import { RunAgain } from './run-again.tsx'
import { skeletonText, type Shape } from '../waterfall/skeleton.ts'

type Said =
  | { readonly decision: 'ran'; readonly output: unknown }
  | { readonly decision: 'ran_output_unknown' | 'run_again' | 'skip' }

interface Skill {
  readonly name: string
  readonly output: Shape
}

/** Says what became of a step with unknown outcome: its process stopped during the call, or the call ended without saying. */
export function ResolveStep({ run, step }: { readonly run: RunDetail; readonly step: Step }) {
  const { path, kind } = step
  const queries = useQueryClient()
  const skills = useQuery({
    queryKey: ['skills'],
    queryFn: () => get<Page<Skill>>('/skills', { limit: 200 }),
    staleTime: Infinity,
  })
  const declared = skills.data?.data.find(({ name }) => name === kind)?.output
  const typed = useTyped<string | undefined>({
    place: `Output of ${path} in run ${run.run_uuid}`,
    empty: undefined,
    textOf: typedText,
  })
  const [, , forget] = typed
  const output = useJsonText(typed, skeletonText(declared ?? {}))
  const resolve = useMutation({
    mutationFn: (said: Said) => call('POST', `/runs/${run.run_uuid}/resolve`, { body: { path, ...said } }),
    onSuccess: () => forget(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', run.run_uuid] }),
  })
  if (!useMay('analyst', 'admin')) return null
  return (
    <Stack gap="xs">
      <Text size="sm">
        The outcome of this step is unknown, and it must not run twice. Check the other system, then record
        the outcome.
      </Text>
      <Textarea
        label="Output, if it happened"
        description={
          declared === undefined ? 'The output as JSON' : `The output of ${kind} as JSON: fill in each “…”`
        }
        {...output.field}
        classNames={{ input: 'code-input' }}
        autosize
        minRows={2}
        maxRows={14}
        spellCheck={false}
      />
      <Text size="xs" c="dimmed">
        If the output is unknown, later steps get the default of this step. Without a default, reading the
        output fails.
      </Text>
      {resolve.isError && <Refusal error={resolve.error} />}
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
