"""Whether our page has every series of node_exporter's infiniband collector, with the same values."""

# Its name without node_infiniband_ → ours without rdma_canary_port_. Both count port data in bytes.
SAME = {
    "excessive_buffer_overrun_errors_total": "excessive_buffer_overrun_errors_total",
    "link_downed_total": "link_downed_total",
    "link_error_recovery_total": "link_error_recoveries_total",
    "local_link_integrity_errors_total": "local_link_integrity_errors_total",
    "multicast_packets_received_total": "multicast_received_packets_total",
    "multicast_packets_transmitted_total": "multicast_transmitted_packets_total",
    "physical_state_id": "physical_state_id",
    "port_constraint_errors_received_total": "receive_constraint_errors_total",
    "port_constraint_errors_transmitted_total": "transmit_constraint_errors_total",
    "port_data_received_bytes_total": "received_bytes_total",
    "port_data_transmitted_bytes_total": "transmitted_bytes_total",
    "port_discards_transmitted_total": "transmit_discards_total",
    "port_errors_received_total": "receive_errors_total",
    "port_packets_received_total": "received_packets_total",
    "port_packets_transmitted_total": "transmitted_packets_total",
    "port_receive_remote_physical_errors_total": "receive_remote_physical_errors_total",
    "port_receive_switch_relay_errors_total": "receive_switch_relay_errors_total",
    "port_transmit_wait_total": "transmit_wait_ticks_total",
    "rate_bytes_per_second": "rate_bytes_per_second",
    "state_id": "state_id",
    "symbol_error_total": "symbol_errors_total",
    "unicast_packets_received_total": "unicast_received_packets_total",
    "unicast_packets_transmitted_total": "unicast_transmitted_packets_total",
    "vl15_dropped_total": "vl15_dropped_total",
}
# Labels of its info, and ours of rdma_canary_device_info.
INFO = {"device": "device", "board_id": "board_id", "firmware_version": "firmware", "hca_type": "hca_type"}


def of_info(labels, ours):
    wanted = {INFO[key]: value for key, value in labels.items()}
    return ours.find("rdma_canary_device_info", **wanted)


def of_value(name, labels, value, ours):
    mine = SAME.get(name)
    return mine and any(mine_value == value for _, mine_value in ours.find(f"rdma_canary_port_{mine}", **labels))


def disagreements(theirs, ours):
    """Their series that ours does not have so (two parsed pages), and how many there are in all."""
    found, count = [], 0
    for name, samples in theirs.samples.items():
        if not name.startswith("node_infiniband_"):
            continue
        short = name.removeprefix("node_infiniband_")
        for labels, value in samples:
            count += 1
            if not (of_info(labels, ours) if short == "info" else of_value(short, labels, value, ours)):
                found.append(f"{name}{labels} {value:.17g}")
    return found, count
