import { Anchor, Button, Code, Select, Stack, Text, Timeline } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { addressOf, call } from '../api/call.ts'
import { useOrganization } from '../forms/use-organization.ts'
import { Command } from '../parts/command.tsx'
import { Refusal } from '../parts/states/refusal.tsx'
import { useMay, useSession } from '../session/session.ts'
import { ViewHead } from '../shell/view/view-head.tsx'
import { firstAlertCommand } from './first-alert-command.ts'

/** What to do while there is no alert yet: make a key, send an alert with it, look at what came of it. */
export function FirstAlert() {
  const mayMakeKey = useMay('admin')
  const { organization_codes: ownCodes } = useSession()
  const { code: organization, field: choice } = useOrganization(useState<string | null>(null))
  const make = useMutation({
    mutationFn: () =>
      call<{ readonly key: string }>('POST', '/keys', {
        body: { name: 'first alert', role: 'intake', organization_codes: ownCodes },
      }),
  })
  const key = make.data?.key
  const address = new URL(addressOf('/alerts'), location.href).href
  return (
    <Stack gap="var(--tocsin-gap)" maw={860}>
      <ViewHead title="Alerts" about="No alerts yet. Send the first one in three steps." />
      <Timeline active={key === undefined ? 0 : 1} bulletSize={28} lineWidth={2}>
        <Step number={1} title="Create an API key for your alert source">
          <Text size="sm">
            Keys with the role <Code>intake</Code> can only post alerts.
          </Text>
          {!mayMakeKey && <Text size="sm">Ask an administrator to create one.</Text>}
          {mayMakeKey && key === undefined && (
            <Button size="xs" loading={make.isPending} onClick={() => make.mutate()}>
              Create key
            </Button>
          )}
          {make.isError && <Refusal error={make.error} />}
          {key !== undefined && (
            <>
              <Text size="sm">Copy the key now: it is not shown again. The command below contains it.</Text>
              <Command text={key} label="API key" />
            </>
          )}
        </Step>
        <Step number={2} title="Send an alert">
          <Text size="sm">
            {choice.data.length > 1 && 'Choose an organization. '}Run this in a terminal.{' '}
            {key === undefined && (
              <>
                Set <Code>TOCSIN_KEY</Code> to an API key first.
              </>
            )}
          </Text>
          {(choice.data.length > 1 || choice.error !== undefined) && <Select size="xs" {...choice} />}
          {organization !== undefined && (
            <Command text={firstAlertCommand({ address, key, organization })} label="Command" />
          )}
        </Step>
        <Step number={3} title="See the result">
          <Text size="sm">
            The alert appears here automatically. Its <Code>alert_type</Code> selects the{' '}
            <Anchor component={Link} underline="always" href="/playbooks" size="sm">
              playbook
            </Anchor>{' '}
            that investigates it; without a match, Tocsin generates one. See the findings in its{' '}
            <Anchor component={Link} underline="always" href="/cases" size="sm">
              case
            </Anchor>
            .
          </Text>
        </Step>
      </Timeline>
    </Stack>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly children: ReactNode
}

function Step({ number, title, children }: StepProps) {
  return (
    <Timeline.Item
      bullet={
        <Text span size="sm" fw={600}>
          {number}
        </Text>
      }
      title={title}
    >
      <Stack gap="xs" align="flex-start" mt={4}>
        {children}
      </Stack>
    </Timeline.Item>
  )
}
