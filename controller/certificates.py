"""The broker's own certificates: an authority that is made once, and server certificates that it signs.

Values in, values out: nothing is read from or written to a disk here. Keys are on the curve P-256, which every browser
and microcontroller knows.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_DAYS = 7300
SERVER_DAYS = 820
"""Apple's devices take no server's certificate that is valid for more than 825 days (support.apple.com/HT210176)."""
RENEW_DAYS = 60
"""One that ends sooner is made anew when the occasion comes."""
EARLY = timedelta(days=1)
"""Valid from the day before: other machines' clocks differ."""


class CertificateError(ValueError):
    """A certificate or key that cannot be used, or a name that cannot be in one; the message says which."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A certificate and its private key, both as PEM."""

    certificate: bytes
    key: bytes


def make_authority(name: str, *, now: datetime) -> Signed:
    """A new authority, good for signing servers' certificates and nothing below them."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = _builder(subject, subject, key.public_key(), key.public_key(), now, AUTHORITY_DAYS)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    return _signed(builder.add_extension(_usage(signs=True), critical=True), key, key)


def make_server(authority: Signed, hosts: Sequence[str], *, now: datetime) -> Signed:
    """A new certificate for a server that is reached under these names and addresses.

    Raises:
        CertificateError: a host that is neither a name nor an address, or an authority that can't be read.
    """
    issuer, authority_key = _certificate(authority.certificate), _key(authority.key)
    key = ec.generate_private_key(ec.SECP256R1())
    names = [_name_of(host) for host in hosts]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0][:64])])
    builder = _builder(subject, issuer.subject, key.public_key(), authority_key.public_key(), now, SERVER_DAYS)
    for extension, is_critical in (
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (_usage(signs=False), True),
        (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
        (x509.SubjectAlternativeName(names), False),
    ):
        builder = builder.add_extension(extension, critical=is_critical)
    return _signed(builder, key, authority_key)


def must_be_made(server: Signed, authority: bytes, hosts: Sequence[str], *, now: datetime) -> bool:
    """Whether the server's certificate is no longer what it should be: its key, its hosts, its authority, its time.

    Raises:
        CertificateError: a certificate or key, all PEM, can't be read, or a host can't be one.
    """
    certificate, issuer = _certificate(server.certificate), _certificate(authority)
    if _key(server.key).public_key() != certificate.public_key():
        return True
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return True
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    ends_soon = certificate.not_valid_after_utc - now < timedelta(days=RENEW_DAYS)
    return set(names) != {_name_of(host) for host in hosts} or ends_soon


def end_of(certificate: bytes) -> datetime:
    """When a certificate, in PEM, ends. Raises: CertificateError."""
    return _certificate(certificate).not_valid_after_utc


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    issuer_key: ec.EllipticCurvePublicKey,
    now: datetime,
    days: int,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder(issuer, subject, key, x509.random_serial_number())
        .not_valid_before(now.astimezone(UTC) - EARLY)
        .not_valid_after(now.astimezone(UTC) - EARLY + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key), critical=False)
    )


def _signed(
    builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey, signer: ec.EllipticCurvePrivateKey
) -> Signed:
    pem = serialization.Encoding.PEM
    return Signed(
        builder.sign(signer, hashes.SHA256()).public_bytes(pem),
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _name_of(host: str) -> x509.GeneralName:
    with contextlib.suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_address(host))
    with contextlib.suppress(UnicodeError):
        name = host.encode("idna").decode("ascii").lower()
        if re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", name):
            return x509.DNSName(name)
    raise CertificateError(f"expected a host's name or address, got {host!r}")


def _key(pem: bytes) -> ec.EllipticCurvePrivateKey:
    try:
        key = serialization.load_pem_private_key(pem, None)
    except (ValueError, TypeError) as error:
        raise CertificateError(f"expected a private key in PEM, got something else ({error})") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise CertificateError("expected a private key on an elliptic curve, as gameline makes them, got another kind")
    return key


def _certificate(pem: bytes) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(pem)
    except ValueError as error:
        raise CertificateError(f"expected a certificate in PEM, got something else ({error})") from error
