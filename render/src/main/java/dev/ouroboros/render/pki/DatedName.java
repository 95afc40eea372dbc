package dev.ouroboros.render.pki;

import java.io.IOException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;

/**
 * The name of an authority that replaces another: the former name with the time of its creation behind the common name, as in {@code CN=front-proxy-
 * ca-20261129T213400Z}.
 */
final class DatedName {
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final String FORMER_DATE = "-\\d{8}T\\d{6}Z$";

    private DatedName() {}

    static X500Principal of(X509Certificate former, Instant now) {
        try {
            X500Name name = new JcaX509CertificateHolder(former).getSubject();
            X500NameBuilder builder = new X500NameBuilder(BCStyle.INSTANCE);
            for (RDN part : name.getRDNs()) {
                if (!part.isMultiValued() && part.getFirst().getType().equals(BCStyle.CN)) {
                    builder.addRDN(BCStyle.CN, dated(part.getFirst().getValue().toString(), now));
                } else {
                    builder.addMultiValuedRDN(part.getTypesAndValues());
                }
            }
            return new X500Principal(builder.build().getEncoded());
        } catch (CertificateEncodingException | IOException e) {
            throw new IllegalStateException("the name of a certificate that was read cannot be written", e);
        }
    }

    private static String dated(String commonName, Instant now) {
        return commonName.replaceFirst(FORMER_DATE, "") + "-" + DATE.format(now);
    }
}
