import { Alert, Button, Grid, Group, Kbd, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useEffect, useMemo, useState } from 'react'
import type { GraphNode } from '../../graph/graph-types.ts'
import { PlaybookGraph } from '../../graph/playbook-graph.tsx'
import { useFilters } from '../../lists/filters/use-filters.ts'
import { useSteady } from '../../lists/table/use-steady.ts'
import { Refusal } from '../../parts/states/refusal.tsx'
import { nodeOf, shownAt } from '../../runs/waterfall/node-marks.ts'
import { DryRunButton } from '../dry-run/dry-run-button.tsx'
import { DryRunView } from '../dry-run/dry-run-view.tsx'
import { dryRunMarks } from '../dry-run/dry-run.ts'
import { useDryRun } from '../dry-run/use-dry-run.ts'
import { Differences } from '../editor/differences.tsx'
import { SourceEditor } from '../editor/source-editor.tsx'
import type { PlaybookDetail } from '../playbook.ts'
import { ProblemList } from './problem-list.tsx'
import { SaveRefusal } from './save-refusal.tsx'
import { useChecked } from './use-checked.ts'
import { useSave } from './use-save.ts'
import { useUnsaved } from './use-unsaved.ts'
import type { Draft } from './use-draft.ts'

interface WorkbenchProps {
  /** As it is in force, or as it was; of a new playbook what it begins with. */
  readonly source: string
  /** What is in the editor at first, and on which version it was begun. */
  readonly begun: Draft
  /** Null for a new playbook. */
  readonly name: string | null
  /** Why another text than the source is in the editor at first. */
  readonly note?: string | undefined
  readonly isReadOnly: boolean
  /** By an investigation: nobody has written it yet. */
  readonly isMade?: boolean
  /** Null once the text is the source again. */
  readonly onDraft: (draft: Draft | null) => void
  /** `left`: what was typed while it was saved, and is not. */
  readonly onSaved: (saved: PlaybookDetail, left: Draft | null) => void
  /** What was not saved is given up. */
  readonly onDropped: () => void
}

const names = ['line'] as const

/** Source and picture of a playbook beside each other; both follow what is typed. */
export function Workbench(props: WorkbenchProps) {
  const { source, begun, name, note, isReadOnly, isMade = false, onDraft, onSaved, onDropped } = props
  const { filters } = useFilters(names)
  const [first] = useState(begun.text)
  const [text, setText] = useState(first)
  const [savedHash, setSavedHash] = useState<string>()
  const hash = savedHash ?? begun.hash
  const [isCompared, setCompared] = useState(false)
  const [isWanted, setWanted] = useState(false)
  const [place, setPlace] = useState<{ readonly line: number }>()
  useEffect(() => {
    if (filters.line !== undefined) setPlace({ line: Number(filters.line) })
  }, [filters.line])
  const { validation, problems, graph, isGraphOld, error, checkAgain } = useChecked(text)
  const isChanged = !isReadOnly && text !== source
  useUnsaved(isChanged)
  useEffect(() => {
    onDraft(isChanged ? { hash, text } : null)
  }, [hash, isChanged, onDraft, text])
  const save = useSave({
    text,
    name: validation?.name ?? null,
    base: name === null || hash === null ? null : { name, hash },
    onSaved(saved, sent) {
      if (saved.name === name) setSavedHash(saved.hash)
      onSaved(saved, text === sent ? null : { hash: saved.hash, text })
    },
  })
  const maySave =
    !isReadOnly && validation !== undefined && validation.name !== null && (isChanged || save.isNew)
  // Also while the cursor is in the editor.
  useHotkeys([['mod+S', () => setWanted(true)]], [], true)
  // Keys are faster than the check: it is saved once that is done.
  useEffect(() => {
    if (!isWanted || (validation === undefined && error === null) || save.isPending) return
    setWanted(false)
    if (maySave) save.save()
  }, [error, isWanted, maySave, save, validation])
  const dry = useDryRun()
  const marks = useMemo(() => dry.followed && dryRunMarks(dry.followed.steps), [dry.followed])
  const ids = useMemo(() => new Set(graph?.nodes.map(({ id }) => id)), [graph])
  const show = useSteady(({ id, line }: GraphNode): void => {
    if (line !== null) setPlace({ line })
    const step = dry.followed?.steps.find(({ path }) => nodeOf(path) === id)
    if (step !== undefined) dry.select(step.path)
  })
  const isRenamed = save.isNew && name !== null && hash !== null && maySave
  return (
    <Stack gap="sm">
      {note !== undefined && isChanged && savedHash === undefined && (
        <Alert color="blue" title={note}>
          <Text size="sm">Publish to make it live.</Text>
          <Button size="xs" variant="default" mt="xs" onClick={onDropped}>
            Discard
          </Button>
        </Alert>
      )}
      <Grid>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <SourceEditor
            source={first}
            isReadOnly={isReadOnly}
            problems={problems}
            place={place}
            onChange={setText}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }} className="graph-beside">
          {graph === undefined ? (
            <Text size="sm" c="dimmed">
              Fix the errors to see the graph.
            </Text>
          ) : (
            <PlaybookGraph
              graph={graph}
              label="Playbook steps"
              note={isGraphOld ? 'Last valid version' : undefined}
              {...(marks && { marks })}
              selected={dry.taken?.selected === undefined ? undefined : shownAt(dry.taken.selected, ids)}
              onSelect={show}
            />
          )}
        </Grid.Col>
      </Grid>
      {error !== null && <Refusal error={error} onRetry={checkAgain} />}
      <Group justify="space-between" align="flex-start" className="workbench-foot">
        <ProblemList
          problems={problems}
          state={validation !== undefined ? 'checked' : error === null ? 'checking' : 'failed'}
          onShow={(line) => setPlace({ line })}
        />
        <Group gap="xs">
          {isChanged && name !== null && (
            <Button variant="subtle" onClick={() => setCompared(!isCompared)}>
              {isCompared ? 'Hide changes' : 'Show changes'}
            </Button>
          )}
          <DryRunButton source={text} checked={validation} onDone={dry.take} />
          {!isReadOnly && (
            <Button
              loading={save.isPending}
              disabled={!maySave}
              onClick={save.save}
              rightSection={<Kbd size="xs">Ctrl S</Kbd>}
            >
              {isRenamed ? `Save as ${validation.name}` : isMade ? 'Keep as mine' : 'Publish'}
            </Button>
          )}
        </Group>
      </Group>
      <SaveRefusal save={save} name={validation?.name ?? null} text={text} onTakeTheirs={onDropped} />
      {isCompared && isChanged && (
        <Differences before={source} after={text} labels={[isMade ? 'Generated' : 'Live', 'Unsaved']} />
      )}
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
