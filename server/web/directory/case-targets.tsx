import { Button, Group, Loader, Stack, Table, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Severity } from '../../../core/plugin/index.ts'
import { apiCallTagged, type Tagged } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import type { ApiCaseTargets } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { minutesText, readMinutes } from './target-times.ts'

interface CaseTargetsProps {
  /** Of the organization. */
  readonly code: string
  readonly onClose: () => void
}

/** The target times (SLA) of the cases of an organization, by severity. */
export default function CaseTargetsDialog({ code, onClose }: CaseTargetsProps) {
  const path = `/organizations/${encodeURIComponent(code)}/case-targets`
  const loaded = useQuery({
    queryKey: [path],
    queryFn: () => apiCallTagged<ApiCaseTargets>('GET', path),
    // What is edited must not change meanwhile; a save notices other changes.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  return (
    <Dialog opened onClose={onClose} title={`Target times of ${code}`} size="lg">
      {loaded.isPending && <Loader size="sm" role="img" aria-label="Loading" />}
      {loaded.isError && <ErrorAlert error={loaded.error} onRetry={() => void loaded.refetch()} />}
      {loaded.data !== undefined && <TargetsForm loaded={loaded.data} path={path} onClose={onClose} />}
    </Dialog>
  )
}

interface TypedTarget {
  readonly severity: Severity
  readonly respond: string
  readonly resolve: string
}

interface TargetsFormProps {
  readonly loaded: Tagged<ApiCaseTargets>
  readonly path: string
  readonly onClose: () => void
}

function TargetsForm({ loaded, path, onClose }: TargetsFormProps) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState<readonly TypedTarget[]>(() =>
    loaded.data.targets.map(({ severity, respond_minutes: respond, resolve_minutes: resolve }) => ({
      severity,
      respond: minutesText(respond),
      resolve: minutesText(resolve),
    })),
  )
  const save = useMutation({
    mutationFn: () =>
      apiCallTagged<ApiCaseTargets>('PUT', path, {
        body: bodyOf(typed),
        headers: { 'if-match': loaded.etag ?? '*' },
      }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: [path] })
      onClose()
    },
  })
  const { errors = [] } = save.isError ? apiProblem(save.error) : {}
  const type = (at: number, part: Partial<TypedTarget>): void =>
    setTyped(typed.map((each, index) => (index === at ? { ...each, ...part } : each)))
  const isWrong = typed.some(
    ({ respond, resolve }) => readMinutes(respond) === undefined || readMinutes(resolve) === undefined,
  )
  return (
    <form noValidate onSubmit={handleSubmit(() => save.mutate())}>
      <Stack>
        <Text size="sm">
          Times from the opening of a case, such as 15m, 4h or 2d. Leave a field blank for no target. Open
          cases keep their times until their severity changes.
        </Text>
        <Table aria-label="Target times" verticalSpacing={6} horizontalSpacing={6} layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Severity</Table.Th>
              <Table.Th>First response</Table.Th>
              <Table.Th>Closing</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {typed.map(({ severity, respond, resolve }, at) => (
              <Table.Tr key={severity}>
                <Table.Th scope="row" fz="xs">
                  {severity}
                </Table.Th>
                <Table.Td>
                  <TimeField
                    label={`${severity}: first response`}
                    value={respond}
                    error={errorAt(errors, `/${severity}/respond_minutes`)}
                    onChange={(next) => type(at, { respond: next })}
                  />
                </Table.Td>
                <Table.Td>
                  <TimeField
                    label={`${severity}: closing`}
                    value={resolve}
                    error={errorAt(errors, `/${severity}/resolve_minutes`)}
                    onChange={(next) => type(at, { resolve: next })}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {save.isError && errors.length === 0 && <ErrorAlert error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" loading={save.isPending} disabled={isWrong}>
            Save target times
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const bodyOf = (typed: readonly TypedTarget[]) =>
  Object.fromEntries(
    typed.map(({ severity, respond, resolve }) => [
      severity,
      { respond_minutes: readMinutes(respond), resolve_minutes: readMinutes(resolve) },
    ]),
  )

type Errors = NonNullable<ReturnType<typeof apiProblem>['errors']>

const errorAt = (errors: Errors, place: string): string | undefined =>
  errors
    .find(({ pointer }) => pointer === place)
    ?.message.replace('resolve_minutes', 'the time until closing')

interface TimeFieldProps {
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

const TimeField = ({ label, value, error, onChange }: TimeFieldProps) => (
  <TextInput
    aria-label={label}
    placeholder="no target"
    size="xs"
    value={value}
    error={error ?? (readMinutes(value) === undefined && 'Write it like 15m, 4h or 2d')}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)
