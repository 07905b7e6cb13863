import { Button, Group, JsonInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { parseJson } from '../api/parse-json.ts'
import type { RunDetail } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { useMay } from '../session/session.ts'

type Decision = 'ran' | 'run_again' | 'skip'

/** Says what became of a step whose process stopped between the call and its result. */
export function ResolveStep({ run, path }: { readonly run: RunDetail; readonly path: string }) {
  const queries = useQueryClient()
  const [output, setOutput] = useState('{}')
  const resolve = useMutation({
    mutationFn: (decision: Decision) =>
      call('POST', `/runs/${run.run_uuid}/resolve`, {
        body: { path, decision, ...(decision === 'ran' && { output: parseJson(output) }) },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', run.run_uuid] }),
  })
  if (!useMay('analyst', 'admin')) return null
  return (
    <Stack gap="xs">
      <Text size="sm">
        Nobody knows whether this happened, and it must not happen twice. Look at the other system, then say
        what became of it.
      </Text>
      <JsonInput
        label="What it would have given, if it happened"
        value={output}
        onChange={setOutput}
        validationError="This is no JSON"
        autosize
        minRows={2}
      />
      {resolve.isError && <Refusal error={resolve.error} />}
      <Group gap="xs">
        <Button size="xs" onClick={() => resolve.mutate('ran')} loading={resolve.isPending}>
          It happened
        </Button>
        <Button size="xs" variant="default" onClick={() => resolve.mutate('run_again')}>
          Run it again
        </Button>
        <Button size="xs" variant="default" onClick={() => resolve.mutate('skip')}>
          Skip it
        </Button>
      </Group>
    </Stack>
  )
}
