import { ActionIcon, Indicator, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { BellRingIcon } from 'lucide-react'
import { lazy, useEffect } from 'react'
import { useLocation } from 'wouter'
import { WhenNeeded } from '../parts/layout.tsx'
import { useSession } from '../session/session.ts'
import { countText, isAllowed, useUnread } from './unread.ts'

const Panel = lazy(() => import('./panel.tsx'))

/** Number of unread notifications; opens their list. Nothing for API keys, which have none. */
export function Bell() {
  const { account_uuid: account } = useSession()
  const [opened, { open, close }] = useDisclosure()
  const [, navigate] = useLocation()
  const unread = useUnread()
  const count = unread?.unread ?? 0
  useEffect(() => {
    if (unread !== undefined && isAllowed())
      void import('./browser-notifications.ts').then(({ showInBrowser }) =>
        showInBrowser(unread.data, navigate),
      )
  }, [unread, navigate])
  if (account === null) return null
  const text = count === 0 ? 'Notifications' : `Notifications, ${countText(count)} unread`
  return (
    <>
      <Indicator label={countText(count)} disabled={count === 0} size={16} color="red.8" aria-hidden={false}>
        <ActionIcon variant="default" size="lg" aria-label={text} aria-haspopup="dialog" onClick={open}>
          <BellRingIcon />
        </ActionIcon>
      </Indicator>
      <VisuallyHidden role="status">
        {count === 0 ? '' : `${countText(count)} unread notifications`}
      </VisuallyHidden>
      <WhenNeeded isNeeded={opened}>
        <Panel opened={opened} onClose={close} />
      </WhenNeeded>
    </>
  )
}
