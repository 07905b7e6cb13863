import { Drawer, Modal, type DrawerProps, type ModalProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFocusReturnAtEnd } from './hooks.ts'

/**
 * Mantine names a dialog after its title in an effect. A dialog whose code is loaded on demand has no name until
 * then, and screen readers announce it without one.
 */
export const namedFromTheStart = (name: string) => ({ content: { 'aria-label': name } })

interface DialogProps extends ModalProps {
  readonly title: string
}

/** Use instead of `Modal`. Returns the focus also when it is open from the start, which Mantine does not. */
export function Dialog({ title, ...props }: DialogProps) {
  useFocusReturnAtEnd(props.opened)
  return <Modal title={title} attributes={namedFromTheStart(title)} {...props} />
}

interface SidePanelProps extends DrawerProps {
  /** The name for screen readers until the title is rendered. Default: the title. */
  readonly name: string
  readonly title?: ReactNode
}

/** A dialog at the edge of the window. Use instead of `Drawer`. */
export const SidePanel = ({ name, title = name, ...props }: SidePanelProps) => (
  <Drawer
    title={title}
    attributes={namedFromTheStart(name)}
    position="right"
    closeButtonProps={{ 'aria-label': 'Close' }}
    overlayProps={{ backgroundOpacity: 0.25 }}
    transitionProps={{ duration: 120 }}
    {...props}
  />
)
