import { Alert, Box, Button, Grid, Group, Stack, Text, Badge, UnstyledButton } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import { PlaybookGraph } from '../../graph/playbook-graph.tsx'
import { useFilters } from '../../lists/use-filters.ts'
import { ErrorAlert, MissingLinks } from '../../parts/feedback.tsx'
import { nodeOf, shownAt } from '../../runs/run-steps.ts'
import { useMay } from '../../session/session.ts'
import { DryRunButton } from '../dry-run/dry-run-form.tsx'
import { DryRunView } from '../dry-run/dry-run-view.tsx'
import { dryRunMarks, useDryRun } from '../dry-run/dry-run.ts'
import { BacktestSection } from '../backtest/backtest-section.tsx'
import { CorrelationPreview } from '../correlation-preview.tsx'
import { correlatesAlerts, isInShadow, ownerIn, startsForAlerts } from '../playbook.ts'
import { PublishState, SaveButtons, SavedHere } from './publish-state.tsx'
import { Differences } from './differences.tsx'
import { SourceEditor } from './source-editor.tsx'
import type { ApiDraft, ApiPlaybookDetail, EditorProblem, Validation } from '../../api/types.ts'
import { usePublish } from './use-publish.ts'
import { useValidation } from './use-validation.ts'
import type { Draft } from './use-draft.ts'
import '../playbooks.css'

interface PlaybookEditorProps {
  /** The live source, or an earlier one; for a new playbook, the template. */
  readonly source: string
  /** The first text in the editor, and the version it is based on. */
  readonly begun: Draft
  /** Null for a new playbook. */
  readonly name: string | null
  /** Why the first text is not the source. */
  readonly note?: string | undefined
  readonly isReadOnly: boolean
  readonly isGenerated?: boolean
  /** The draft on the server that is edited. */
  readonly saved?: ApiDraft | undefined
  /** Null once the text equals the source. */
  readonly onDraft: (draft: Draft | null) => void
  /** `left`: text that was typed while saving. */
  readonly onSaved: (saved: ApiPlaybookDetail, left: Draft | null) => void
  /** `left`: text that was typed while saving. */
  readonly onDraftSaved?: (saved: ApiDraft, left: Draft | null) => void
  readonly onDiscard: () => void
}

const names = ['line'] as const

/** The source and the graph of a playbook side by side. Both follow the text. */
export function PlaybookEditor(props: PlaybookEditorProps) {
  const { source, begun, name, note, isReadOnly, isGenerated = false, onDiscard } = props
  const { filters } = useFilters(names)
  const [first] = useState(begun.text)
  const [text, setText] = useState(first)
  const [isCompared, setCompared] = useState(false)
  const [place, setPlace] = useState<{ readonly line: number }>()
  useEffect(() => {
    if (filters.line !== undefined) setPlace({ line: Number(filters.line) })
  }, [filters.line])
  const checked = useValidation(text)
  const { validation, problems, error } = checked
  const editing = usePublish(props, text, checked)
  const { isChanged, isUnsaved, isSaved } = editing
  const kept = isGenerated ? 'Keep as mine' : 'Publish'
  const action = editing.publish.isRename ? `Save as ${validation?.name}` : kept
  // On its own page, a draft says by whom and when it was saved.
  const isSavedHere = isSaved && !isUnsaved && isChanged && props.saved === undefined && name !== null
  const dry = useDryRun()
  return (
    <Stack gap="sm">
      {note !== undefined && isUnsaved && !isSaved && (
        <Alert color="blue" title={note}>
          <Text size="sm">Save it as a draft to share it, or publish it to make it live.</Text>
          <Button size="xs" variant="default" mt="xs" onClick={onDiscard}>
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
          <EditorGraph checked={checked} dry={dry} onLine={(line) => setPlace({ line })} />
        </Grid.Col>
      </Grid>
      {error !== null && <ErrorAlert error={error} onRetry={checked.checkAgain} />}
      <Group justify="space-between" align="flex-start" className="workbench-foot">
        <ProblemList
          problems={problems}
          owner={ownerIn(text)}
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
          {!isReadOnly && <SaveButtons editing={editing} action={action} />}
        </Group>
      </Group>
      {isSavedHere && <SavedHere name={name} />}
      <PublishState
        editing={editing}
        text={text}
        source={source}
        name={name}
        validName={validation?.name ?? null}
        hasLive={name !== null && begun.hash !== null && !editing.publish.isRename}
        action={action}
        onDiscard={onDiscard}
      />
      {isCompared && isChanged && (
        <Differences before={source} after={text} labels={[isGenerated ? 'Generated' : 'Live', 'Unsaved']} />
      )}
      <DryRunView dry={dry} source={text} />
      <Trials name={name} text={text} checked={validation} />
    </Stack>
  )
}

interface TrialsProps {
  readonly name: string | null
  readonly text: string
  readonly checked: Validation | undefined
}

/** Tries the text on recorded alerts. */
function Trials({ name, text, checked }: TrialsProps) {
  const mayBacktest = [useMay('playbooks:test'), useMay('runs:read')].every(Boolean)
  return (
    <Stack gap="var(--tocsin-gap)" mt="xs">
      {mayBacktest && name !== null && startsForAlerts(text) && !isInShadow(text) && (
        <BacktestSection name={name} source={text} checked={checked} />
      )}
      {correlatesAlerts(text) && <CorrelationPreview source={text} />}
    </Stack>
  )
}

type Checked = ReturnType<typeof useValidation>
type DryRunState = ReturnType<typeof useDryRun>

interface EditorGraphProps {
  readonly checked: Checked
  readonly dry: DryRunState
  readonly onLine: (line: number) => void
}

/** The graph of the text, with the results of a dry run. */
function EditorGraph({ checked: { graph, isGraphOld }, dry, onLine }: EditorGraphProps) {
  const marks = useMemo(() => dry.followed && dryRunMarks(dry.followed.steps), [dry.followed])
  const ids = useMemo(() => new Set(graph?.nodes.map(({ id }) => id)), [graph])
  if (graph === undefined)
    return isGraphOld ? (
      <Text size="sm" c="dimmed">
        Fix the errors to see the graph.
      </Text>
    ) : null
  return (
    <PlaybookGraph
      graph={graph}
      label="Playbook steps"
      note={isGraphOld ? 'Last valid version' : undefined}
      {...(marks && { marks })}
      selected={dry.taken?.selected === undefined ? undefined : shownAt(dry.taken.selected, ids)}
      onSelect={({ id, line }) => {
        if (line !== null) onLine(line)
        const step = dry.followed?.steps.find(({ path }) => nodeOf(path) === id)
        if (step !== undefined) dry.select(step.path)
      }}
    />
  )
}

interface ProblemListProps {
  readonly problems: readonly EditorProblem[]
  /** Code of the organization to which the playbook belongs. */
  readonly owner: string | undefined
  /** `checking`: problems of the previous text. */
  readonly state: 'checked' | 'checking' | 'failed'
  readonly onShow: (line: number) => void
}

const says = { checked: 'No problems', checking: 'Checking …', failed: 'Not checked' } as const

/** The problems of a playbook. A click shows the line. */
function ProblemList({ problems, state, owner, onShow }: ProblemListProps) {
  return (
    <Stack gap={2} aria-live="polite" role="region" aria-label="Problems">
      {problems.length === 0 && (
        <Text size="sm" c="dimmed">
          {says[state]}
        </Text>
      )}
      {problems.map(({ line, column, code, severity, message, hint, missing }, index) => (
        <div key={index}>
          <UnstyledButton className="problem-row" onClick={() => onShow(line)}>
            <Text size="sm" className="outside-text">
              <Badge
                size="sm"
                variant="light"
                color={severity === 'error' ? 'red' : 'orange'}
                tt="none"
                radius="sm"
                mr={8}
              >
                {line}:{column} {code}
              </Badge>
              {message}
            </Text>
            {hint !== undefined && (
              <Text size="xs" c="dimmed" className="outside-text">
                {hint}
              </Text>
            )}
          </UnstyledButton>
          <Box px={8}>
            <MissingLinks missing={missing} organization={owner} />
          </Box>
        </div>
      ))}
    </Stack>
  )
}
