/**
 * A self-signed certificate for 127.0.0.1, valid for 100 years. Its key is public: only connections to a
 * sandbox trust it, by their setting `network_ca`.
 */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUGoAHF6doKHhhGTwG0Vf9Ml8J5dMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODA4Mjg0NloYDzIxMjYxMTA0
MDgyODQ2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASPYyW5WUAtSqVxZV4digjDHNrT4hcy7EIlTXsn1n7tEmF9gTmNXFU5
ORIlWv1Kd+NaquV0ZjRr4AvpsHQstqRjo28wbTAdBgNVHQ4EFgQUaZ08ZStyxaIg
YSBAr+QksuUKhUswHwYDVR0jBBgwFoAUaZ08ZStyxaIgYSBAr+QksuUKhUswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSQAwRgIhAK+cqNTApSHccb6j9bN3a8BtQz46cVNH/cK27/vSH/+0AiEA
mHbrgX5lu24bPvpBH2KdUw3a/3OnZOiIVCwDw9aV53E=
-----END CERTIFICATE-----
`

export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgj/3OeCmyzqBOJNgb
W3pVDiUSkRtcaWyCMZDLY/tLyIuhRANCAASPYyW5WUAtSqVxZV4digjDHNrT4hcy
7EIlTXsn1n7tEmF9gTmNXFU5ORIlWv1Kd+NaquV0ZjRr4AvpsHQstqRj
-----END PRIVATE KEY-----
`
