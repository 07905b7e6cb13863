/** Style elements of libraries need the nonce of the response. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

/** For `get-nonce`, which the dialogs of Mantine use. */
Object.assign(globalThis, { __webpack_nonce__: nonce })
