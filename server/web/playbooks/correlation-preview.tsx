import { Alert, Button, Group, List, Select, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import { useOrganization } from '../api/lookups.ts'
import type { ApiCorrelationPreview } from '../api/types.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Section, TextLink } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { serverTime } from '../parts/time.ts'
import { DateTime } from '../parts/times.tsx'
import { useMay } from '../session/session.ts'
import { ownerIn } from './playbook.ts'

type Merge = ApiCorrelationPreview['merges'][number]

const spans = [
  { value: '1', label: 'the last day' },
  { value: '7', label: 'the last 7 days' },
  { value: '30', label: 'the last 30 days' },
  { value: '90', label: 'the last 90 days' },
]
const dayMs = 86_400_000

/** Applies the correlation rules of the text in the editor, published or not, to past alerts. */
export function CorrelationPreview({ source }: { readonly source: string }) {
  const mayPreview = useMay('playbooks:test')
  const organization = useOrganization(useState<string | null>(ownerIn(source) ?? null))
  const [days, setDays] = useState('30')
  const preview = useMutation({
    mutationFn: () =>
      apiCall<ApiCorrelationPreview>('POST', '/correlations/preview', {
        body: {
          organization_code: organization.code,
          source,
          created_after: serverTime() - Number(days) * dayMs,
        },
      }),
  })
  if (!mayPreview) return null
  return (
    <Section
      title="Correlation"
      actions={
        <Group gap="xs">
          {!organization.isSingle && (
            <Select {...organization.field} label={null} aria-label="Organization" size="xs" />
          )}
          <Select
            size="xs"
            aria-label="Alerts of"
            data={spans}
            value={days}
            allowDeselect={false}
            onChange={(value) => value !== null && setDays(value)}
          />
          <Button
            size="xs"
            variant="default"
            disabled={organization.code === undefined}
            loading={preview.isPending}
            onClick={() => preview.mutate()}
          >
            Preview
          </Button>
        </Group>
      }
    >
      {preview.isError && <ErrorAlert error={preview.error} />}
      {preview.data === undefined ? (
        <Text size="sm" c="dimmed">
          Applies the rules to past alerts and counts the cases. Changes nothing.
        </Text>
      ) : (
        <PreviewView preview={preview.data} />
      )}
    </Section>
  )
}

function PreviewView({ preview }: { readonly preview: ApiCorrelationPreview }) {
  const { alerts, applicable, joined, cases_before, cases_after, merges, skipped, warnings, failures } =
    preview
  const says = [
    ...warnings,
    ...(failures > 0 ? [`${failures.toLocaleString()} expressions could not be evaluated`] : []),
    ...(preview.ended_at === null ? [] : ['Too many alerts: the newest were left out']),
  ]
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {alerts.toLocaleString()} alerts, a rule applies to {applicable.toLocaleString()}. Cases:{' '}
        {cases_before.toLocaleString()} now, {cases_after.toLocaleString()} with these rules;{' '}
        {joined.toLocaleString()} would join an earlier case.
      </Text>
      {says.length > 0 && (
        <Alert color="orange" variant="light" title="Check the rules">
          <TextList texts={says} />
        </Alert>
      )}
      {skipped.length > 0 && (
        <Alert color="gray" variant="light" title="Too common to relate alerts">
          <TextList texts={skipped.map(({ text, count }) => `${count} × ${text}`)} />
        </Alert>
      )}
      <SmallTable
        title="Largest merges"
        rows={merges}
        columns={mergeColumns}
        idOf={(merge) => `${merge.first_at} ${merge.samples[0]?.alert_id ?? ''}`}
        mah={420}
        empty="No alerts would share a case"
      />
    </Stack>
  )
}

function TextList({ texts }: { readonly texts: readonly string[] }) {
  return (
    <List size="sm">
      {texts.map((text) => (
        <List.Item key={text} className="outside-text">
          {showInvisible(text)}
        </List.Item>
      ))}
    </List>
  )
}

const mergeColumns: readonly SmallColumn<Merge>[] = [
  { title: 'Alerts', isNumber: true, isNarrow: true, cell: ({ alerts }) => alerts.toLocaleString() },
  {
    title: 'Cases now',
    isNumber: true,
    isNarrow: true,
    cell: (merge) => merge.cases_before.toLocaleString(),
  },
  {
    title: 'Reason',
    cell: ({ reasons, samples, is_full }) => (
      <>
        {reasons.map(({ text, count }) => (
          <OutsideText key={text} text={`${count} × ${text}`} />
        ))}
        {is_full && <Text size="xs">At the maximum of the rule</Text>}
        <Text size="xs" c="dimmed">
          {samples.map(({ alert_id: id }) => (
            <span key={id}>
              <TextLink href={`/alerts/${id}`} isUnderlined>
                {id.toUpperCase()}
              </TextLink>{' '}
            </span>
          ))}
        </Text>
      </>
    ),
  },
  { title: 'From', isNarrow: true, cell: (merge) => <DateTime at={merge.first_at} /> },
  { title: 'To', isNarrow: true, cell: (merge) => <DateTime at={merge.last_at} /> },
]
