"""Objectives, alerts and dashboards, rendered into the files of Prometheus and Grafana."""
