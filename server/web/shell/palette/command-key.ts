/** What the keyboard of whoever looks at the page calls the key of commands. */
export const commandKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl'
