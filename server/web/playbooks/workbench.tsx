import { Grid, Group, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { PlaybookGraph } from '../graph/playbook-graph.tsx'
import type { GraphNode } from '../graph/graph-types.ts'
import { useFilters } from '../lists/use-filters.ts'
import { Refusal } from '../parts/refusal.tsx'
import { nodeOf, shownAt } from '../runs/node-marks.ts'
import { DryRunButton } from './dry-run/dry-run-button.tsx'
import { DryRunView } from './dry-run/dry-run-view.tsx'
import { dryRunMarks } from './dry-run/dry-run.ts'
import { useDryRun } from './dry-run/use-dry-run.ts'
import { SourceEditor } from './editor/source-editor.tsx'
import { ProblemList } from './problem-list.tsx'
import { Save } from './save.tsx'
import { useChecked } from './use-checked.ts'
import { useUnsaved } from './use-unsaved.ts'

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
  const { validation, problems, graph, isGraphOld, error } = useChecked(text)
  const dry = useDryRun()
  const isChanged = text !== source
  useUnsaved(!isReadOnly && isChanged)
  const marks = useMemo(() => dry.followed && dryRunMarks(dry.followed.steps), [dry.followed])
  const ids = useMemo(() => new Set(graph?.nodes.map(({ id }) => id)), [graph])
  const show = ({ id, line }: GraphNode): void => {
    if (line !== null) setPlace({ line })
    const step = dry.followed?.steps.find(({ path }) => nodeOf(path) === id)
    if (step !== undefined) dry.select(step.path)
  }
  return (
    <Stack gap="sm">
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
              note={isGraphOld ? 'As it was before the errors' : undefined}
              {...(marks && { marks })}
              selected={dry.taken?.selected === undefined ? undefined : shownAt(dry.taken.selected, ids)}
              onSelect={show}
            />
          )}
        </Grid.Col>
      </Grid>
      {error !== null && <Refusal error={error} />}
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <ProblemList problems={problems} onShow={(line) => setPlace({ line })} />
        <Group gap="xs" wrap="nowrap">
          <DryRunButton source={text} checked={validation} onDone={dry.take} />
          {!isReadOnly && (
            <Save text={text} hash={hash} name={validation?.name ?? null} isChanged={isChanged} />
          )}
        </Group>
      </Group>
      {dry.taken !== undefined && dry.followed !== undefined && (
        <DryRunView
          taken={dry.taken}
          followed={dry.followed}
          isOld={dry.taken.source !== text}
          onSelect={dry.select}
          onAnswer={dry.choose}
          onClose={dry.clear}
        />
      )}
    </Stack>
  )
}
