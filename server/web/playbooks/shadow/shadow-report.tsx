import { Alert, Grid, List, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { verdictLooks } from '../../parts/states.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import type { ApiShadowReport } from './use-shadow.ts'
import '../playbooks.css'

/** Agreement by verdict and by action, and why alerts could not be judged. */
export function ShadowReportView({ report }: { readonly report: ApiShadowReport }) {
  const { agreement, verdicts: matrices, actions, reasons, alerts } = report
  if (alerts === 0) return null
  return (
    <>
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Matrix
            title="Verdicts: live run and shadow"
            side="Live"
            cells={matrices.live}
            about={sameText(agreement.shadow_live)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Matrix
            title="Verdicts: analysts and shadow"
            side="Analysts"
            cells={matrices.analysts}
            about={
              agreement.shadow_analysts.alerts === 0
                ? 'No analyst has set a verdict or closed a case yet.'
                : `${sameText(agreement.shadow_analysts)} Live run: ${sameText(agreement.live_analysts)}`
            }
          />
        </Grid.Col>
      </Grid>
      {actions.length > 0 && <Actions actions={actions} />}
      {reasons.length > 0 && (
        <Alert color="gray" variant="light" title="Not judged">
          <List size="sm">
            {reasons.map(({ code, message, alerts: count }) => (
              <List.Item key={code} className="outside-text">
                {count.toLocaleString()} × {showInvisible(message)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  )
}

const sameText = ({ same, alerts }: { readonly same: number; readonly alerts: number }): string =>
  `Same verdict for ${same.toLocaleString()} of ${alerts.toLocaleString()}.`

interface MatrixProps {
  readonly title: string
  /** Heading of the rows. */
  readonly side: string
  readonly cells: ApiShadowReport['verdicts']['live']
  readonly about: string
}

/** Number of alerts by verdict of one side (rows) and of the shadow (columns). */
function Matrix({ title, side, cells, about }: MatrixProps) {
  const used = Object.keys(verdictLooks).filter((each) =>
    cells.some(({ verdict, shadow }) => verdict === each || shadow === each),
  )
  const at = (verdict: string, shadow: string) =>
    cells.find((cell) => cell.verdict === verdict && cell.shadow === shadow)?.alerts ?? 0
  return (
    <ReportTable title={title} about={about}>
      {used.length > 0 && (
        <>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{side} ↓ shadow →</Table.Th>
              {used.map((shadow) => (
                <Table.Th key={shadow} className="number">
                  {shadow}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {used.map((verdict) => (
              <Table.Tr key={verdict}>
                <Table.Th scope="row">{verdict}</Table.Th>
                {used.map((shadow) => (
                  <Table.Td
                    key={shadow}
                    className="number"
                    {...(verdict === shadow && { fw: 600 })}
                    {...(at(verdict, shadow) === 0 && { c: 'dimmed' })}
                  >
                    {at(verdict, shadow).toLocaleString()}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </>
      )}
    </ReportTable>
  )
}

function Actions({ actions }: Pick<ApiShadowReport, 'actions'>) {
  return (
    <ReportTable title="Actions" about="Calls that write, by who would make them.">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Skill</Table.Th>
          {['Both', 'Only live', 'Only shadow'].map((each) => (
            <Table.Th key={each} className="number">
              {each}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {actions.map(({ skill, both, only_live: live, only_shadow: shadow }) => (
          <Table.Tr key={skill}>
            <Table.Td>{skill}</Table.Td>
            {[both, live, shadow].map((count, at) => (
              <Table.Td key={at} className="number">
                {count.toLocaleString()}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ReportTable>
  )
}

interface ReportTableProps {
  readonly title: string
  readonly about: string
  readonly children: ReactNode
}

function ReportTable({ title, about, children }: ReportTableProps) {
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
      <Table.ScrollContainer minWidth={300} tabIndex={0} role="group" aria-label={title}>
        <Table verticalSpacing={6} aria-label={title}>
          {children}
        </Table>
      </Table.ScrollContainer>
    </section>
  )
}
