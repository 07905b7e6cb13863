import { Button, Grid, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/call.ts'
import type { Graph } from '../graph/graph-types.ts'
import { PlaybookGraph } from '../graph/playbook-graph.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { Refusal } from '../parts/refusal.tsx'
import type { PlaybookDetail, Validation } from './playbook.ts'
import { ProblemList } from './problem-list.tsx'
import { useUnsaved } from './use-unsaved.ts'
import { SourceEditor } from './editor/source-editor.tsx'

interface WorkbenchProps {
  readonly source: string
  /** Of the version that is edited; null for a new playbook. */
  readonly hash: string | null
  readonly isReadOnly: boolean
}

const names = ['line'] as const

/** Source and picture of a playbook beside each other; both follow what is typed. */
export function Workbench({ source, hash, isReadOnly }: WorkbenchProps) {
  const { filters } = useFilters(names)
  const [text, setText] = useState(source)
  const [place, setPlace] = useState(() =>
    filters.line === undefined ? undefined : { line: Number(filters.line) },
  )
  const [graph, setGraph] = useState<Graph>()
  const [settled] = useDebouncedValue(text, 250)
  const checked = useQuery({
    queryKey: ['validate', settled],
    queryFn: ({ signal }) =>
      call<Validation>('POST', '/playbooks/validate', { body: { source: settled }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  })
  const drawn = checked.data?.graph
  useEffect(() => {
    if (drawn) setGraph(drawn)
  }, [drawn])
  const problems = checked.data?.problems ?? none
  useUnsaved(!isReadOnly && text !== source)
  return (
    <Stack gap="xs">
      <Grid>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <SourceEditor
            source={source}
            isReadOnly={isReadOnly}
            problems={problems}
            place={place}
            onChange={setText}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          {graph === undefined ? (
            <Text size="sm" c="dimmed">
              The picture appears once there are no errors.
            </Text>
          ) : (
            <PlaybookGraph
              graph={graph}
              label="Steps of the playbook"
              onSelect={({ line }) => line !== null && setPlace({ line })}
            />
          )}
        </Grid.Col>
      </Grid>
      {checked.isError && <Refusal error={checked.error} />}
      <ProblemList problems={problems} onShow={(line) => setPlace({ line })} />
      {!isReadOnly && (
        <Save text={text} hash={hash} name={checked.data?.name ?? null} isChanged={text !== source} />
      )}
    </Stack>
  )
}

const none: Validation['problems'] = []

interface SaveProps {
  readonly text: string
  readonly hash: string | null
  /** As the source says; null where it has errors. */
  readonly name: string | null
  readonly isChanged: boolean
}

function Save({ text, hash, name, isChanged }: SaveProps) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const save = useMutation({
    mutationFn: () =>
      call<PlaybookDetail>('PUT', `/playbooks/${encodeURIComponent(name ?? '')}`, {
        body: { source: text },
        ...(hash !== null && { headers: { 'if-match': `"${hash}"` } }),
      }),
    onSuccess(saved) {
      notifications.show({ color: 'green', message: `${saved.name} is in force.` })
      void queries.invalidateQueries({ queryKey: ['playbook'] })
      void queries.invalidateQueries({ queryKey: ['versions'] })
      void queries.resetQueries({ queryKey: ['list', '/playbooks'] })
      navigate(`/playbooks/${saved.name}`)
    },
  })
  return (
    <Group justify="flex-end">
      {save.isError && <Refusal error={save.error} />}
      <Button
        size="xs"
        loading={save.isPending}
        disabled={name === null || (!isChanged && hash !== null)}
        onClick={() => save.mutate()}
      >
        Save and put in force
      </Button>
    </Group>
  )
}
